import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { gitEnvironment } from "../git/git";
import { personsEnvironment } from "../job/environment";
import type { ForgePlace } from "./forge";
import { isKnownHost } from "./place";

/** The name of the variable that goes before every other login. It is taken out of what agents and commands see. */
export const forgeTokenName = "BACKLOOM_FORGE_TOKEN";

/** A login at a code host. Of a password git knows whose it is. */
export interface Credential {
  secret: string;
  user: string | null;
}

const run = promisify(execFile);
const timeout = 20_000;

/**
 * The login of the person at this machine: what they gave the worker, what the host's own tool has, what git has. The worker's
 * variable names no host, so it goes only to one that the person chose (`isPersons`), or that everybody knows.
 */
export async function findCredential(
  place: ForgePlace,
  isPersons: boolean,
  folder: string,
): Promise<Credential | null> {
  const given = process.env[forgeTokenName];
  if (given && (isPersons || isKnownHost(place.host))) return { secret: given, user: null };
  const token = await tokenOfTool(place);
  return token ? { secret: token, user: null } : passwordOfGit(place, folder);
}

async function tokenOfTool({ kind, host }: ForgePlace): Promise<string | undefined> {
  if (kind === "github") return printed("gh", ["auth", "token", "--hostname", host]);
  if (kind === "gitlab") return printed("glab", ["config", "get", "token", "--host", host]);
  return tokenOfTea(host);
}

/** What a program of the person's prints; nothing when it is not there, or has no login for the host. */
async function printed(program: string, words: string[]): Promise<string | undefined> {
  const options = { timeout, env: personsEnvironment() };
  const end = await run(program, words, options).catch(() => null);
  return end?.stdout.trim() || undefined;
}

const teaSchema = z.object({
  logins: z.array(z.object({ url: z.string(), token: z.string().min(1) })),
});

/** `tea` prints no token, and keeps it in a file. */
async function tokenOfTea(host: string): Promise<string | undefined> {
  const home = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  const text = await readFile(join(home, "tea", "config.yml"), "utf8").catch(() => null);
  if (text === null) return undefined;
  const { parse } = await import("yaml");
  const { data } = teaSchema.safeParse(parse(text));
  return data?.logins.find(({ url }) => URL.canParse(url) && new URL(url).host === host)?.token;
}

/** What a credential helper of git has for the address; nobody is asked. */
async function passwordOfGit({ address }: ForgePlace, folder: string): Promise<Credential | null> {
  const words = ["-c", "core.askPass=", "credential", "fill"];
  const env = { ...gitEnvironment(), GIT_ASKPASS: "", SSH_ASKPASS: "" };
  const filling = run("git", words, { cwd: folder, timeout, env });
  filling.child.stdin?.on("error", () => undefined).end(`url=${address}\n\n`);
  const end = await filling.catch(() => null);
  const lines = new Map(
    (end?.stdout ?? "").split("\n").map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name, value.join("=")];
    }),
  );
  const secret = lines.get("password");
  return secret ? { secret, user: lines.get("username") ?? null } : null;
}
