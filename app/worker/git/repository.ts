import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { JobPayload } from "~/contract/worker";
import { isDemo, type WorkerOptions } from "../options";
import { messageOf, WorkerProblem } from "../service/problems";
import { sendable } from "../service/sendable";
import type { ServedProduct } from "../service/served-product";
import { isForeign, isNamed, RepositoryNotAllowed } from "./allowed-repositories";
import { commitOf, committer, git } from "./git";
import type { WorkFolder } from "./work-folder";

/** A repository that worktrees are made of. */
export interface Repository {
  folder: string;
  /** Work is pushed there when it has one; else the branches of the folder itself are moved. */
  remote: string | null;
}

interface RepositoryWish {
  /** `--repo`: a folder or an address, as the person at this machine gave it. */
  given: string | undefined;
  /** What its owner wrote into the product. It may only name a repository elsewhere. */
  productAddress: string;
  /** The same, or what any member wrote into the task. */
  jobAddress: string;
  /** `--also-repo`: the addresses of tasks that the person at this machine allows. */
  named: readonly string[];
  /** Where clones and the sample are kept. */
  repositories: string;
  /** The demo may begin a sample repository where there is none. */
  mayCreate: boolean;
}

/**
 * Opens the repository of a job: that of the worker, or a clone made once. What a repository says is run here, and git speaks to it
 * in the person's name: one that a task names is opened only where the person has named it too.
 */
async function openRepository(wish: RepositoryWish): Promise<Repository> {
  const { given, productAddress, jobAddress, named, repositories, mayCreate } = wish;
  const isOwn = jobAddress === productAddress || jobAddress === given;
  if (!isOwn && !isNamed(jobAddress, named)) throw new RepositoryNotAllowed(jobAddress);
  if (given !== undefined && isOwn) return openGiven(given, wish);
  if (jobAddress === "" && mayCreate) return openFolder(join(repositories, "sample"), true);
  if (isForeign(jobAddress)) return openClone(jobAddress, repositories);
  throw new WorkerProblem(
    jobAddress === ""
      ? "The product names no repository: set it in its settings, or start the worker with --repo <folder> --product <code>"
      : `The repository ${sendable(jobAddress, 200)} is no https, ssh or git@ address, and a job opens no folder of this machine: correct it in the product, or start the worker with --repo <folder> --product <code>`,
  );
}

/**
 * Whether the work has a place, before a job is taken: nobody shall lose a retry because of what this machine lacks. A worker
 * for several products learns it from each job.
 */
export async function checkRepository(
  options: WorkerOptions,
  product: ServedProduct | null,
  { repositories }: WorkFolder,
): Promise<void> {
  const { repo, kinds } = options;
  if (product === null || kinds?.every((kind) => kind === "PLAN_CHAT")) return;
  await openRepository({
    given: repo,
    productAddress: product.repo_url,
    jobAddress: product.repo_url,
    named: options.alsoRepos,
    repositories,
    mayCreate: isDemo(options),
  });
}

/** The repository that the work of a job lies in. */
export function openRepositoryOf(
  job: { product: Pick<JobPayload["product"], "repo_url">; repo_url: string },
  options: WorkerOptions,
  { repositories }: WorkFolder,
): Promise<Repository> {
  return openRepository({
    given: options.repo,
    productAddress: job.product.repo_url,
    jobAddress: job.repo_url,
    named: options.alsoRepos,
    repositories,
    mayCreate: isDemo(options),
  });
}

/** The person's own words may name a folder as well. */
function openGiven(given: string, wish: RepositoryWish): Promise<Repository> {
  return isAddress(given)
    ? openClone(given, wish.repositories)
    : openFolder(resolve(given), wish.mayCreate);
}

function isAddress(given: string): boolean {
  return /^([a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/i.test(given);
}

/** Which addresses of tasks the service may hand to this worker. */
export function followedAddresses({ repo, alsoRepos }: WorkerOptions): string[] {
  return repo !== undefined && isAddress(repo) ? [...alsoRepos, repo] : [...alsoRepos];
}

async function openFolder(folder: string, mayCreate: boolean): Promise<Repository> {
  if (!existsSync(folder)) {
    if (!mayCreate) throw new WorkerProblem(`The repository ${folder} does not exist`);
    await createSample(folder);
  }
  if ((await commitOf(folder, "HEAD")) === null) {
    throw new WorkerProblem(`${folder} is no git repository with at least one commit`);
  }
  return { folder, remote: await remoteOf(folder) };
}

/** One clone for each address and machine; workers of the same machine share it. */
async function openClone(address: string, repositories: string): Promise<Repository> {
  const name = createHash("sha256").update(address).digest("hex").slice(0, 16);
  const folder = join(repositories, name);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    await git(repositories, "clone", "--quiet", "--no-checkout", "--", address, draft).catch(
      async (error: unknown) => {
        await rm(draft, { recursive: true, force: true });
        throw new WorkerProblem(
          `The repository ${sendable(address, 200)} cannot be cloned here: ${messageOf(error)}`,
        );
      },
    );
    await git(repositories, "-C", draft, "worktree", "prune");
    await moveInPlace(draft, folder);
  }
  return { folder, remote: "origin" };
}

/** Two workers may clone at the same moment: the first one's clone stays. */
async function moveInPlace(draft: string, folder: string): Promise<void> {
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
}

/** Where a repository pushes to. */
export async function remoteOf(folder: string): Promise<string | null> {
  const remotes = (await git(folder, "remote")).split("\n").filter((name) => name !== "");
  return remotes.includes("origin") ? "origin" : (remotes[0] ?? null);
}

/** The repository of the demo: one commit to branch from. */
async function createSample(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await writeFile(join(folder, "README.md"), "# Sample\n\nThe demo worker commits here.\n");
  await git(folder, "add", "README.md");
  await git(folder, ...committer, "commit", "--quiet", "-m", "Begin the sample repository");
}
