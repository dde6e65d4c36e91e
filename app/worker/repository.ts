import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { commitOf, committer, git } from "./git";
import { WorkerProblem } from "./problems";

/** A repository that worktrees are made of. */
export interface Repository {
  folder: string;
  /** Work is pushed there when it has one; else the branches of the folder itself are moved. */
  remote: string | null;
}

interface RepositoryWish {
  /** `--repo`: a folder or an address. */
  given: string | undefined;
  /** What the job says. */
  address: string;
  /** Where clones and the sample are kept. */
  repositories: string;
  /** The demo may begin a sample repository where there is none. */
  mayCreate: boolean;
}

/** Opens the repository of a job: the folder of the worker, or a clone made once. */
export async function openRepository(wish: RepositoryWish): Promise<Repository> {
  const { given, address, repositories, mayCreate } = wish;
  const source = given ?? address;
  if (source !== "" && isAddress(source)) return openClone(source, repositories);
  if (source === "" && !mayCreate) {
    throw new WorkerProblem("The job names no repository: start the worker with --repo <folder>");
  }
  const folder = source === "" ? join(repositories, "sample") : resolve(source);
  if (!existsSync(folder)) {
    if (!mayCreate) throw new WorkerProblem(`The repository ${folder} does not exist`);
    await createSample(folder);
  }
  if ((await commitOf(folder, "HEAD")) === null) {
    throw new WorkerProblem(`${folder} is no git repository with at least one commit`);
  }
  return { folder, remote: await remoteOf(folder) };
}

function isAddress(source: string): boolean {
  return /^([a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/i.test(source);
}

/** One clone for each address and machine; workers of the same machine share it. */
async function openClone(address: string, repositories: string): Promise<Repository> {
  const name = createHash("sha256").update(address).digest("hex").slice(0, 16);
  const folder = join(repositories, name);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    await git(repositories, "clone", "--quiet", "--no-checkout", "--", address, draft);
    await git(repositories, "-C", draft, "worktree", "prune");
    await moveInPlace(draft, folder);
  }
  return { folder, remote: "origin" };
}

/** Two workers may clone at the same moment: the first one's clone stays. */
async function moveInPlace(draft: string, folder: string): Promise<void> {
  const { rename, rm } = await import("node:fs/promises");
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
}

async function remoteOf(folder: string): Promise<string | null> {
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
