import manifest from "../../../package.json";
import { git } from "../git/git";
import type { Repository } from "../git/repository";
import type { Rules } from "../git/rules";
import { learnSecret, type WorkerOptions } from "../options";
import { type Credential, findCredential, forgeTokenName } from "./credential";
import { type Forge, type ForgeKind, type ForgePlace, ForgeProblem, forgeTitles } from "./forge";
import { openForgejo } from "./forgejo";
import { openGitHub } from "./github";
import { openGitLab } from "./gitlab";
import { placeOf } from "./place";
import { openRequests } from "./requests";

const openers = { github: openGitHub, gitlab: openGitLab, forgejo: openForgejo };

/** One for each repository: what was read and how long to wait is remembered from job to job. */
const opened = new Map<string, { secret: string; forge: Forge }>();

/** The code host of a repository, with the login of the person at this machine. */
export async function openForge(
  repository: Repository,
  rules: Pick<Rules, "forge">,
  options: WorkerOptions,
): Promise<Forge> {
  const place = placeOf(await remoteAddress(repository), rules.forge, options.forgeUrl);
  const isPersons = options.repo !== undefined || options.forgeUrl !== undefined;
  const credential = await findCredential(place, isPersons, repository.folder);
  if (credential === null) {
    throw new ForgeProblem(
      `no login for ${place.host} was found: set ${forgeTokenName}, or sign in with ${toolOf[place.kind]}`,
    );
  }
  learnSecret(options, credential.secret);
  const key = `${place.api} ${place.project}`;
  const known = opened.get(key);
  if (known?.secret === credential.secret) return known.forge;
  const headers = headersOf(place, credential);
  const title = forgeTitles[place.kind];
  const forge = openers[place.kind](place, openRequests({ api: place.api, title, headers }));
  opened.set(key, { secret: credential.secret, forge });
  return forge;
}

/** Looks for the login before anything is run that could print it: what is known is taken out of every text. */
export async function learnLogin(
  repository: Repository,
  rules: Pick<Rules, "forge">,
  options: WorkerOptions,
): Promise<void> {
  if (!options.opensPulls) return;
  await openForge(repository, rules, options).catch((error: unknown) => {
    // Whoever needs it says so then.
    if (!(error instanceof ForgeProblem)) throw error;
  });
}

const toolOf: Record<ForgeKind, string> = {
  github: '"gh auth login"',
  gitlab: '"glab auth login"',
  forgejo: '"tea login add"',
};

/** Where the remote really is: the person's git may write addresses anew. */
async function remoteAddress({ folder, remote }: Repository): Promise<string> {
  if (remote === null) throw new ForgeProblem("the repository has no remote");
  return git(folder, "remote", "get-url", remote);
}

function headersOf({ kind }: ForgePlace, { secret, user }: Credential): Record<string, string> {
  const accept = kind === "github" ? "application/vnd.github+json" : "application/json";
  return {
    accept,
    "user-agent": `backloom-worker/${manifest.version}`,
    authorization: authorizationOf(kind, secret, user),
    ...(kind === "github" ? { "x-github-api-version": "2022-11-28" } : {}),
  };
}

/** What git keeps for Forgejo may be a password; the others take nothing but tokens. */
function authorizationOf(kind: ForgeKind, secret: string, user: string | null): string {
  if (kind !== "forgejo") return `Bearer ${secret}`;
  if (user === null) return `token ${secret}`;
  return `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
