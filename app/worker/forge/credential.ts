import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { personsEnvironment } from "../base/environment";
import { gitEnvironment } from "../git/git";
import type { Credential, ForgePlace } from "./forge";
import type { Printed } from "./host";
import { kinds } from "./kinds";

/** Variable that takes precedence over every other login. Agents and commands do not see it. */
export const forgeTokenName = "BACKLOOM_FORGE_TOKEN";

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
  const token = await kinds[place.kind].tokenOfTool(place.host, printed);
  return token ? { secret: token, user: null } : passwordOfGit(place, folder);
}

function hostOfToken(token: string): string | undefined {
  return Object.values(kinds).find(({ tokenForm }) => tokenForm?.test(token))?.known;
}

const printed: Printed = async (program, words) => {
  const options = { timeout, env: personsEnvironment() };
  const end = await run(program, words, options).catch(() => null);
  return end?.stdout.trim() || undefined;
};

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
