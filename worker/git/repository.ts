import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isForeign } from "~/wire/text";
import { isNamed, RepositoryNotAllowed } from "../base/allowed-repositories";
import { isDemo, type WorkerOptions } from "../base/options";
import { messageOf, WorkerProblem } from "../base/problems";
import { sendable } from "../base/sendable";
import type { WorkFolder } from "../base/work-folder";
import { commitOf, committer, git, gitEnd } from "./git";

export interface Repository {
  folder: string;
  /** Where work is pushed. Null: the folder's own branches are moved. */
  remote: string | null;
  /** Where the main branch comes from: another one in a clone of a fork. */
  base: string | null;
  /** Where the names of branches of ours begin, if a job says so. */
  prefix?: string | undefined;
}

interface RepositoryOptions {
  given: string | undefined;
  /** The job's product: each has a sample of its own, so that a second demo begins with nothing done. */
  productId: string | undefined;
  /** From the product, set by its owner. Remote addresses only. */
  productAddress: string;
  /** The same, or what any member wrote into the task. */
  jobAddress: string;
  /** `--also-repo`: task addresses the worker's user allows. */
  named: readonly string[];
  /** Folder of clones and the sample. */
  repositories: string;
  /** True if the demo may create a sample repository. */
  mayCreate: boolean;
}

/** Its content is run with the user's login, so an address named only by a task must be allowed by the user. */
async function openRepository(options: RepositoryOptions): Promise<Repository> {
  const { given, productId, productAddress, jobAddress, named, repositories, mayCreate } = options;
  const isOwn = jobAddress === productAddress || jobAddress === given;
  if (!isOwn && !isNamed(jobAddress, named)) throw new RepositoryNotAllowed(jobAddress);
  if (given !== undefined && isOwn) return openGiven(given, options);
  if (jobAddress === "" && mayCreate && productId !== undefined)
    return openFolder(join(repositories, `sample-${productId}`), true);
  if (isForeign(jobAddress)) return openClone(jobAddress, repositories);
  throw new WorkerProblem(
    jobAddress === ""
      ? "The product names no repository: set it in its settings, or start the worker with --repo <folder> --product <code>"
      : `The repository ${sendable(jobAddress, 200)} is not an https, ssh or git@ URL, and a job cannot open a local folder: correct it in the product, or start the worker with --repo <folder> --product <code>`,
  );
}

/** Before a job is taken, so that no retry is lost to this machine. Returns what its person should know. */
export async function checkRepository(
  options: WorkerOptions,
  product: { id: string; repo_url: string } | null,
  { repositories }: WorkFolder,
): Promise<string | null> {
  const { repo, kinds } = options;
  if (product === null || kinds?.every((kind) => kind === "PLAN_CHAT")) return null;
  const { remote, base } = await openRepository({
    given: repo,
    productId: product.id,
    productAddress: product.repo_url,
    jobAddress: product.repo_url,
    named: options.alsoRepos,
    repositories,
    mayCreate: isDemo(options),
  });
  if (remote === base) return null;
  return `Work begins from the main branch of ${base} and is pushed to ${remote} (\`git config backloom.remote <name>\` names one for both)`;
}

export async function openRepositoryOf(
  job: { product: { id?: string; repo_url: string }; repo_url: string; branch_prefix?: string | undefined },
  options: WorkerOptions,
  { repositories }: WorkFolder,
): Promise<Repository> {
  const repository = await openRepository({
    given: options.repo,
    productId: job.product.id,
    productAddress: job.product.repo_url,
    jobAddress: job.repo_url,
    named: options.alsoRepos,
    repositories,
    mayCreate: isDemo(options),
  });
  return { ...repository, prefix: job.branch_prefix };
}

/** The user may also name a folder. */
function openGiven(given: string, options: RepositoryOptions): Promise<Repository> {
  return isAddress(given) ? openClone(given, options.repositories) : openFolder(resolve(given), options.mayCreate);
}

export const openLocal = (folder: string): Promise<Repository> => openFolder(resolve(folder), false);

export function isAddress(given: string): boolean {
  return /^([a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/i.test(given);
}

/** Task addresses the service may give to this worker. */
export function followedAddresses({ repo, alsoRepos }: WorkerOptions): string[] {
  return repo !== undefined && isAddress(repo) ? [...alsoRepos, repo] : [...alsoRepos];
}

async function openFolder(folder: string, mayCreate: boolean): Promise<Repository> {
  if (!existsSync(folder)) {
    if (!mayCreate) throw new WorkerProblem(`The repository ${folder} does not exist`);
    await createSample(folder);
  }
  const { code, problem } = await gitEnd(folder, "rev-parse", "--git-dir");
  if (code !== 0 || (await commitOf(folder, "HEAD")) === null) {
    const words = problem === "" ? "" : `: ${problem}`;
    throw new WorkerProblem(`${folder} is not a Git repository with at least one commit${words}`);
  }
  return requireLfs({ folder, ...(await remotesOf(folder)) });
}

/** Opens the clone of an address; all workers of the machine share it. */
async function openClone(address: string, repositories: string): Promise<Repository> {
  const name = createHash("sha256").update(address).digest("hex").slice(0, 16);
  const folder = join(repositories, name);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    await git(repositories, "clone", "--quiet", "--no-checkout", "--", address, draft).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      throw new WorkerProblem(`The repository ${sendable(address, 200)} cannot be cloned here: ${messageOf(error)}`);
    });
    await git(repositories, "-C", draft, "worktree", "prune");
    await moveInPlace(draft, folder);
  }
  return requireLfs({ folder, remote: "origin", base: "origin" });
}

/** Where git is set up for LFS but the program is missing, each checkout of such a repository would fail. */
async function requireLfs(repository: Repository): Promise<Repository> {
  const { folder } = repository;
  const filters = ["config", "--get-regexp", "^filter\\.lfs\\.(process|smudge)$"];
  if ((await gitEnd(folder, ...filters)).code !== 0) return repository;
  if ((await gitEnd(folder, "lfs", "version")).code === 0) return repository;
  const args = ["grep", "--quiet", "-e", "filter=lfs", "HEAD"];
  if ((await gitEnd(folder, ...args, "--", "*.gitattributes")).code !== 0) return repository;
  throw new WorkerProblem(
    "The repository uses Git LFS, and git-lfs is not installed on this machine: install it, or run `git lfs uninstall` to work with pointer files",
  );
}

/** Two workers may clone at the same time: the first clone stays. */
async function moveInPlace(draft: string, folder: string): Promise<void> {
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
}

/** Name of the remote that is pushed to, and of the one that main follows. `git config backloom.remote` settles both. */
export async function remotesOf(folder: string): Promise<Pick<Repository, "remote" | "base">> {
  const remotes = (await git(folder, "remote")).split("\n").filter((name) => name !== "");
  const answer = (...args: string[]) => git(folder, ...args).catch(() => "");
  const set = (key: string) => answer("config", "--get", key);
  const firstOf = (names: string[]) => names.find((name) => remotes.includes(name)) ?? null;
  const given = await set("backloom.remote");
  if (given !== "" && !remotes.includes(given)) {
    throw new WorkerProblem(
      `git config backloom.remote names ${sendable(given, 200)}, and ${folder} has no such remote: name one that \`git remote\` lists`,
    );
  }
  const remote = firstOf([given, await set("remote.pushDefault"), "origin", ...remotes]);
  const here = (await answer("symbolic-ref", "--quiet", "HEAD")).slice("refs/heads/".length);
  const head = await answer("symbolic-ref", "--quiet", `refs/remotes/${remote}/HEAD`);
  const named = [await set("backloom.main"), head.slice(`refs/remotes/${remote}/`.length)];
  for (const name of [...named, await set("init.defaultBranch"), "main", "master", here]) {
    const followed = name === "" ? "" : await set(`branch.${name}.remote`);
    if (followed !== "") return { remote, base: firstOf([given, followed, "origin", ...remotes]) };
  }
  return { remote, base: firstOf([given, "origin", ...remotes]) };
}

/** The clone in which the command was typed, if its remote is the address; undefined otherwise. */
export async function cloneHere(address: string): Promise<string | undefined> {
  const top = await gitEnd(process.cwd(), "rev-parse", "--show-toplevel");
  if (top.code !== 0 || address === "") return undefined;
  const urls = await gitEnd(process.cwd(), "config", "--get-regexp", "^remote\\..*\\.url$");
  const named = urls.output.split("\n").map((line) => nameOfRemote(line.replace(/^\S+ /, "")));
  return named.includes(nameOfRemote(address)) ? top.output.trim() : undefined;
}

/** Host and path, which are the same over https and ssh. */
function nameOfRemote(address: string): string {
  const plain = address
    .replace(/^\w+:\/\//, "")
    .replace(/^[^@/]+@/, "")
    .replace(/\.git$/, "");
  return plain.replace(/^([^/:]+)(?::\d+(?=\/)|:)/, "$1/").toLowerCase();
}

async function createSample(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await writeFile(join(folder, "README.md"), "# Sample\n\nThe demo worker commits here.\n");
  await git(folder, "add", "README.md");
  await git(folder, ...committer, "commit", "--quiet", "-m", "Begin the sample repository");
}
