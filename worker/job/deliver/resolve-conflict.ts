import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClaimedConflict } from "~/wire/agent-jobs/job-conflict";
import { commitLeftovers, stageAll } from "../../git/commit";
import { commitOf, committer, conflictedPaths, git, gitEnd, isAncestor } from "../../git/git";
import { type Clash, clashWith } from "../../git/merge-tree";
import { tipOf } from "../../git/remote";
import type { Worktree } from "../../git/worktree";
import type { Attempt, Workspace } from "../attempt";
import { examine, refusalOf, testOf } from "../proof/inspect";
import { park, reportFailure } from "../report/reports";
import { type Assignment, type Resolution, taskAssignment } from "../turn/assignment";
import { execute, failureOf } from "../turn/execute";
import { reportClash } from "./conflicts";

/** In an extra turn, because all its tasks may be done. True if resolved or nothing to resolve; false if over. */
export async function resolveBatch(attempt: Attempt, workspace: Workspace): Promise<boolean> {
  const resolution = await startResolution(attempt, workspace, workspace.start);
  return resolution === null || resolveInTurn(attempt, workspace, resolution);
}

/** Runs the turn that resolves the conflict. Returns false if the attempt is over. */
export async function resolveInTurn(attempt: Attempt, workspace: Workspace, resolution: Resolution): Promise<boolean> {
  const { job } = attempt;
  const assignment: Assignment = {
    ...taskAssignment(job, workspace),
    taskId: job.task_id,
    title: "Bring both versions together",
    plan: null,
    criteria: [],
    resolution,
  };
  const outcome = await execute(attempt, workspace, assignment, { BACKLOOM_BASE_SHA: resolution.base });
  const failure = failureOf(outcome);
  if (failure !== undefined) return over(reportFailure(attempt, failure, outcome.result));
  const left = await finishResolution(attempt, workspace, resolution);
  if (outcome.result.question !== undefined) {
    await attempt.keeper.keep();
    return over(park(attempt, assignment, outcome.result));
  }
  if (left !== null) return over(reportClash(attempt, workspace, left));
  await commitLeftovers(workspace.folder, assignment.title);
  const evidence = await examine(attempt, workspace, outcome, resolution.base);
  if (testOf(evidence)?.passed !== false) return true;
  return over(reportFailure(attempt, refusalOf(evidence, ""), outcome.result));
}

async function over(end: Promise<unknown>): Promise<false> {
  await end;
  return false;
}

/** So that the agent finds both versions in its files and needs no git. Null if everything merges by now. */
export async function startResolution(attempt: Attempt, worktree: Worktree, base: string): Promise<Resolution | null> {
  for (const conflict of attempt.job.conflicts ?? []) {
    // Undelivered work of a batch is one task, which is redone on the branch's current state.
    if (conflict.kind === "branch" && attempt.job.kind === "SPRINT_IMPLEMENTATION") continue;
    const resolution = await beginMerge(attempt, worktree, conflict, base);
    if (resolution === null) continue;
    attempt.journal.say(`Both versions of ${resolution.files.join(", ")} are in the worktree for the agent to merge`);
    return resolution;
  }
  return null;
}

async function beginMerge(
  { journal }: Pick<Attempt, "journal">,
  worktree: Worktree,
  conflict: ClaimedConflict,
  base: string,
): Promise<Resolution | null> {
  const { folder } = worktree;
  const theirs = await otherSide(worktree, conflict);
  if (theirs === null) {
    journal.say(`${conflict.theirs_sha.slice(0, 8)} is not in this repository; continuing without it`);
    return null;
  }
  if (await isAncestor(folder, theirs, "HEAD")) return null;
  const isOwn = conflict.kind === "branch";
  // Own undelivered work is always merged back; others' work only if it conflicts.
  const clash = isOwn ? conflict.files : await clashWith(folder, theirs, journal);
  if (!isOwn && clash.length === 0) return null;
  const onto = isOwn ? null : await withBase(folder, base, theirs);
  const args = ["merge", "--quiet", "--no-commit", "--no-ff", onto ?? theirs];
  const merge = await gitEnd(folder, ...committer, ...args);
  const files = await conflictedPaths(folder);
  if (merge.code === 0) await commitMerge(folder, conflict);
  const now = { ...conflict, files: clash };
  return files.length === 0 ? null : { conflict: now, theirs, files, base: onto ?? base };
}

/** The commit to merge: own undelivered work, or the current state of the other side. */
async function otherSide(worktree: Worktree, conflict: ClaimedConflict): Promise<string | null> {
  const { folder, repository, main } = worktree;
  if (conflict.kind === "branch") return commitOf(folder, conflict.ours_sha);
  if (conflict.kind === "base") return main;
  const tip = await tipOf(repository, conflict.branch);
  return tip ?? commitOf(folder, conflict.theirs_sha);
}

/** Merging `base` with the other side leaves only own changes. Just the other side where it has it or conflicts. */
async function withBase(folder: string, base: string, theirs: string): Promise<string> {
  if (await isAncestor(folder, base, theirs)) return theirs;
  const merge = await gitEnd(folder, "merge-tree", "--write-tree", base, theirs);
  const tree = merge.output.trim();
  if (merge.code !== 0 || !/^[0-9a-f]+$/.test(tree)) return theirs;
  const parents = ["-p", base, "-p", theirs];
  return git(folder, ...committer, "commit-tree", ...parents, "-m", "Bring both together", tree);
}

async function commitMerge(folder: string, { task_code, kind }: ClaimedConflict): Promise<void> {
  if ((await commitOf(folder, "MERGE_HEAD")) === null) return;
  await stageAll(folder);
  const what = task_code ?? (kind === "base" ? "the main branch" : "the earlier work");
  const message = `Bring in ${what}`;
  await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
}

/** Commits the merge the agent resolved. If conflict markers are left, returns the conflict instead. */
export async function finishResolution(
  { journal }: Pick<Attempt, "journal">,
  { folder }: Worktree,
  { conflict, theirs, files }: Resolution,
): Promise<Clash | null> {
  const left: string[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8").catch(() => "");
    if (/^<{7}( |\r?$)/m.test(text) && /^>{7}( |\r?$)/m.test(text)) left.push(file);
  }
  if (left.length === 0) {
    await commitMerge(folder, conflict);
    return null;
  }
  journal.say(`Conflict markers are still in ${left.join(", ")}`);
  return {
    kind: conflict.kind,
    ...(conflict.branch === "" ? {} : { branch: conflict.branch }),
    theirs: conflict.kind === "branch" ? conflict.theirs_sha : theirs,
    files: conflict.files,
    inVain: { ours: conflict.ours_sha },
  };
}
