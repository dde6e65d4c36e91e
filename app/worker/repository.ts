import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { JobPayload } from "~/contract/worker";
import { commitOf, committer, git } from "./git";
import { isDemo, type WorkerOptions } from "./options";
import { messageOf, WorkerProblem } from "./problems";
import { sendable } from "./sendable";
import type { ServedProduct } from "./served-product";
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
  /** What the product and the job say; written by members, so it may only name a repository elsewhere. */
  productAddress: string;
  jobAddress: string;
  /** Where clones and the sample are kept. */
  repositories: string;
  /** The demo may begin a sample repository where there is none. */
  mayCreate: boolean;
}

/** Opens the repository of a job: that of the worker, or a clone made once. A task's own repository goes before both. */
async function openRepository(wish: RepositoryWish): Promise<Repository> {
  const { given, productAddress, jobAddress, repositories, mayCreate } = wish;
  if (given !== undefined && jobAddress === productAddress) return openGiven(given, wish);
  if (jobAddress === "" && mayCreate) return openFolder(join(repositories, "sample"), true);
  if (isForeign(jobAddress)) return openClone(jobAddress, repositories);
  throw new WorkerProblem(
    jobAddress === ""
      ? "The product names no repository: set it in its settings, or start the worker with --repo <folder> --product <code>"
      : `The repository ${sendable(jobAddress, 200)} is no https, ssh or git@ address, and a job opens no folder of this machine: mend it in the product, or start the worker with --repo <folder> --product <code>`,
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
    repositories,
    mayCreate: isDemo(options),
  });
}

/** The person's own words may name a folder as well. */
function openGiven(given: string, wish: RepositoryWish): Promise<Repository> {
  const isAddress = /^([a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/i.test(given);
  return isAddress
    ? openClone(given, wish.repositories)
    : openFolder(resolve(given), wish.mayCreate);
}

/** A repository on another machine: nothing that git would take for an option, a program or a path of this one. */
function isForeign(address: string): boolean {
  return (
    /^(https|ssh):\/\/([\w.~%+:-]+@)?[a-z0-9[][^\s@]*$/i.test(address) ||
    /^git@[a-z0-9][a-z0-9.-]*:[^\s-]\S*$/i.test(address)
  );
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
