import manifest from "../../package.json";
import { personsEnvironment } from "../base/environment";
import { learnSecret, type WorkerOptions } from "../base/options";
import { run } from "../base/run";
import { askCredential } from "../git/ask-credential";
import { git } from "../git/git";
import { isAddress, type Repository, remotesOf } from "../git/repository";
import type { Rules } from "../git/rules";
import type { RunTool } from "./driver";
import { type Credential, type Forge, type ForgeLocation, ForgeProblem, NoGitHost } from "./forge";
import { kinds } from "./kinds";
import { hostIn, locationOf, withoutAlias } from "./location";
import { openRequests } from "./requests";

/** One per repository, so that cached answers and rate limits are kept across jobs. */
const opened = new Map<string, { secret: string; forge: Forge }>();

/** Opens the Git host of a repository with the user's login. */
export async function openForge(
  repository: Repository,
  rules: Pick<Rules, "forge">,
  options: WorkerOptions,
): Promise<Forge> {
  const address = await remoteAddress(repository);
  const location = locationOf(address, rules.forge, options.forgeUrl);
  const host = kinds[location.kind];
  const isPersons = options.forgeUrl !== undefined || (await isOfRepo(address, options));
  const credential = await findCredential(location, isPersons, repository.folder);
  if (credential === null) {
    throw new ForgeProblem(
      `no login for ${location.host} was found: set ${forgeTokenName} with BACKLOOM_FORGE_URL, or sign in with ${host.signIn}`,
    );
  }
  learnSecret(options, credential.secret);
  const key = `${location.api} ${location.project}`;
  const known = opened.get(key);
  if (known?.secret === credential.secret) return known.forge;
  const agent = { "user-agent": `backloom-worker/${manifest.version}` };
  const headers = { ...agent, ...host.headers(credential) };
  const { secret } = credential;
  const requests = openRequests({ api: location.api, title: host.title, headers, secret });
  const forge = host.open(location, requests);
  opened.set(key, { secret: credential.secret, forge });
  return forge;
}

/** Finds the login before anything runs that could print it, so that it is redacted everywhere. */
export async function learnLogin(
  repository: Repository,
  rules: Pick<Rules, "forge">,
  options: WorkerOptions,
): Promise<void> {
  if (!options.opensPulls) return;
  await openForge(repository, rules, options).catch((error: unknown) => {
    // Reported when the login is needed.
    if (!(error instanceof ForgeProblem)) throw error;
  });
}

/** True if the user named this host with `--repo`. Tasks may name repositories elsewhere. */
async function isOfRepo(address: string, { repo }: WorkerOptions): Promise<boolean> {
  if (repo === undefined) return false;
  const remotes = isAddress(repo) ? null : await remotesOf(repo).catch(() => null);
  const own = remotes?.remote ? await remoteAddress({ folder: repo, ...remotes }) : await withoutAlias("/", repo);
  return hostIn(own) === hostIn(address);
}

/** The remote's URL after git's rewrites (`insteadOf`) and those of ssh. */
async function remoteAddress({ folder, remote, base }: Repository): Promise<string> {
  if (remote === null) throw new NoGitHost("the repository has no remote");
  if (remote !== base) {
    throw new NoGitHost(
      `main comes from ${base} and branches go to ${remote}, and none is opened from one repository to another: open it there, or name one for both with \`git config backloom.remote <name>\``,
    );
  }
  return withoutAlias(folder, await git(folder, "remote", "get-url", remote));
}

/** Variable that takes precedence over every other login. Agents and commands do not see it. */
const forgeTokenName = "BACKLOOM_FORGE_TOKEN";

const timeout = 20_000;

/** A variable's token names no host: it is sent only where the user chose (`isPersons`) or its form says. */
async function findCredential(location: ForgeLocation, isPersons: boolean, folder: string): Promise<Credential | null> {
  const given = process.env[forgeTokenName];
  if (given && (isPersons || hostOfToken(given) === location.host)) return { secret: given, user: null };
  const token = await kinds[location.kind].tokenOfTool(location.host, runTool);
  return token ? { secret: token, user: null } : askCredential(folder, location.address);
}

function hostOfToken(token: string): string | undefined {
  return Object.values(kinds).find(({ tokenForm }) => tokenForm?.test(token))?.publicHost;
}

const runTool: RunTool = async (program, args) => {
  const options = { timeout, env: personsEnvironment() };
  const end = await run(program, args, options).catch(() => null);
  return end?.stdout.trim() || undefined;
};
