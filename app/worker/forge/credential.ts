import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { personsEnvironment } from "../base/environment";
import { gitEnvironment } from "../git/git";
import type { ForgePlace } from "./forge";

/** Variable that takes precedence over every other login. Agents and commands do not see it. */
export const forgeTokenName = "BACKLOOM_FORGE_TOKEN";

/** A login at a code host. `user` is known for passwords from git only. */
export interface Credential {
  secret: string;
  user: string | null;
}

const run = promisify(execFile);
const timeout = 20_000;

/**
 * The user's login: from the worker's variable, the host's own tool, or git. The variable names no host, so it is sent
 * only to the one the user chose (`isPersons`) or that its form names.
 */
export async function findCredential(
  place: ForgePlace,
  isPersons: boolean,
  folder: string,
): Promise<Credential | null> {
  const given = process.env[forgeTokenName];
  if (given && (isPersons || hostOfToken(given) === place.host))
    return { secret: given, user: null };
  const token = await tokenOfTool(place);
  return token ? { secret: token, user: null } : passwordOfGit(place, folder);
}

function hostOfToken(token: string): string | null {
  if (/^(gh[a-z]_|github_pat_)/.test(token)) return "github.com";
  return token.startsWith("glpat-") ? "gitlab.com" : null;
}

async function tokenOfTool({ kind, host }: ForgePlace): Promise<string | undefined> {
  if (kind === "github") return printed("gh", ["auth", "token", "--hostname", host]);
  if (kind === "gitlab") return printed("glab", ["config", "get", "token", "--host", host]);
  return tokenOfTea(host);
}

/** Output of a program of the user; undefined if it is missing or has no login for the host. */
async function printed(program: string, words: string[]): Promise<string | undefined> {
  const options = { timeout, env: personsEnvironment() };
  const end = await run(program, words, options).catch(() => null);
  return end?.stdout.trim() || undefined;
}

const teaSchema = z.object({
  logins: z.array(z.object({ url: z.string(), token: z.string().min(1) })),
});

/** `tea` does not print tokens, so its file is read. */
async function tokenOfTea(host: string): Promise<string | undefined> {
  const home = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  const text = await readFile(join(home, "tea", "config.yml"), "utf8").catch(() => null);
  if (text === null) return undefined;
  const { parse } = await import("yaml");
  const { data } = teaSchema.safeParse(parse(text));
  return data?.logins.find(({ url }) => URL.canParse(url) && new URL(url).host === host)?.token;
}

/** Login from git's credential helper, without prompting. */
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
