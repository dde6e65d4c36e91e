import { lstat, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { reporterOf } from "./checkout";
import { copiedInCommits, copiedInto, whyHeld } from "./copied";
import { commitOf, committer, conflictedPaths, git, gitEnd, gitPaths } from "./git";
import { noteOf } from "./worktree";

/** So that no work is lost: commits what it can before it throws because of one path. */
export async function commitLeftovers(folder: string, message: string, options: readonly string[] = []): Promise<void> {
  await flattenNested(folder);
  if ((await git(folder, "status", "--porcelain")) === "") return;
  const problem = await stage(folder);
  if ((await gitEnd(folder, "diff", "--cached", "--quiet")).code !== 0) {
    const args = ["commit", "--quiet", "--no-verify", "-m", message];
    await git(folder, ...options, ...committer, ...args);
  }
  if (problem !== null) throw new Error(`git add failed: ${problem}`);
}

/** Stages everything in the folder. */
export async function stageAll(folder: string): Promise<void> {
  await flattenNested(folder);
  const problem = await stage(folder);
  if (problem !== null) throw new Error(`git add failed: ${problem}`);
}

/** For submodules only their commit: inside, git would run with a config of an agent. Returns git's refusals. */
async function stage(folder: string): Promise<string | null> {
  const submodules = await gitLinks(folder);
  const others = [...submodules, ...(await leaveOut(folder))];
  const excluded = others.map((path) => `:(exclude,top,literal)${path}`);
  // A program may also write outside the directories of a sparse checkout.
  const args = ["add", "--all", "--sparse", "--ignore-errors", "--", ":/"];
  const end = await gitEnd(folder, ...args, ...excluded);
  if (submodules.length > 0) await git(folder, "update-index", "--remove", "--", ...submodules);
  return end.code === 0 ? null : end.problem;
}

async function gitLinks(folder: string): Promise<string[]> {
  const entries = await gitPaths(folder, "ls-files", "--stage");
  return entries.flatMap((entry) => /^160000 \w+ \d\t(.+)$/s.exec(entry)?.[1] ?? []);
}

/** Git would record only the commit of a repository made inside, and its files be lost. Submodules of main stay. */
async function flattenNested(folder: string): Promise<void> {
  const flattened: string[] = [];
  for (let round = 0; round < mostNested; round += 1) {
    const untracked = await gitPaths(folder, "ls-files", "--others", "--exclude-standard");
    const made = untracked.flatMap((path) => (path.endsWith("/") ? path.slice(0, -1) : []));
    const found = [...(await gitLinks(folder)), ...made];
    const base = found.length === 0 ? [] : await submodulesOfBase(folder);
    const nested = found.filter((path) => !base.includes(path));
    if (nested.length === 0) break;
    for (const path of nested) await flatten(folder, path);
    flattened.push(...nested);
  }
  if (flattened.length > 0) {
    reporterOf(folder)("Committed as files: repositories inside the worktree", flattened);
  }
}

/** Repositories within repositories, each round one deeper. */
const mostNested = 20;

async function flatten(folder: string, path: string): Promise<void> {
  await git(folder, "update-index", "--force-remove", "--", path);
  const nested = join(folder, path);
  // Through a link, it would be a repository of the person's.
  if ((await realpath(nested).catch(() => null)) !== join(await realpath(folder), path)) return;
  await rm(join(nested, ".git"), { recursive: true, force: true });
}

async function submodulesOfBase(folder: string): Promise<string[]> {
  const base = (await noteOf(folder))?.base || "HEAD";
  const entries = await gitPaths(folder, "ls-tree", "-r", "--full-tree", base);
  return entries.flatMap((entry) => /^160000 commit \w+\t(.+)$/s.exec(entry)?.[1] ?? []);
}

const largestFile = 10_000_000;

/** New files that probably no one wants: the agent can commit them itself, what it leaves is swept in unseen. */
async function leaveOut(folder: string): Promise<string[]> {
  const out = new Map<string, string>();
  const copied = await copiedInto(folder);
  const made = await gitPaths(folder, "ls-files", "--others", "--exclude-standard");
  if (copied !== null) {
    for (const path of [...made, ...(await gitPaths(folder, "diff", "--name-only", "HEAD"))]) {
      const why = await whyHeld(folder, copied, path);
      if (why !== null) out.set(path, `${path} (${why})`);
    }
    // A program may have staged it.
    if (out.size > 0) await gitEnd(folder, "reset", "--quiet", "--", ...out.keys());
  }
  for (const path of made.filter((name) => !out.has(name))) {
    const [packages] = /^(.*\/)?(?:node_modules|\.venv)(?=\/)/.exec(path) ?? [];
    if (packages !== undefined) out.set(packages, `${packages}/`);
    else if (isSecret(basename(path))) out.set(path, `${path} (may hold secrets)`);
    else {
      const size = (await lstat(join(folder, path)).catch(() => null))?.size ?? 0;
      if (size > largestFile) out.set(path, `${path} (${Math.round(size / 1e6)} MB)`);
    }
  }
  if (out.size > 0) reporterOf(folder)("Left out of the commit", [...out.values()]);
  return [...out.keys()];
}

function isSecret(name: string): boolean {
  return /^\.env(\.|$)/.test(name) && !/\.(example|sample|template|dist)$/.test(name);
}

/** A merge that was not ended, or commits of what was only lent. Null if nothing is wrong. Trap: staging hides it. */
export async function halfDone(folder: string): Promise<string | null> {
  const conflicted = await conflictedPaths(folder);
  const files = conflicted.length > 0 ? conflicted : await marked(folder);
  if (files.length === 0) return copiedInCommits(folder, (await noteOf(folder))?.base || "HEAD");
  const where = files.slice(0, 20).join(", ");
  return `A merge is unfinished: ${where} still in conflict. Finish or abort it, so that the work can be delivered.`;
}

/** Files of an unfinished merge, cherry-pick or revert that were staged with conflict markers. */
async function marked(folder: string): Promise<string[]> {
  const heads = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
  const begun = await Promise.all(heads.map((head) => commitOf(folder, head)));
  if (begun.every((commit) => commit === null)) return [];
  const { output } = await gitEnd(folder, "diff", "--check", "HEAD");
  const files = output.matchAll(/^(.+):\d+: leftover conflict marker$/gm);
  return [...new Set([...files].map(([, file = ""]) => file))];
}
