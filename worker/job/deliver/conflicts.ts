import { type ConflictDecision, conflictDecisionSchema } from "~/wire/agent-jobs/job-conflict";
import { committer, git, gitEnd, isAncestor } from "../../git/git";
import type { Work } from "../../git/integrate";
import { type Clash, clashWith } from "../../git/merge-tree";
import { isOnMain } from "../../git/on-main";
import { fetchAll } from "../../git/remote";
import { mainOf, type Worktree } from "../../git/worktree";
import type { Attempt } from "../attempt";
import { sessionOf } from "../report/tally";
import { reportTotals } from "../report/usage";

/** Call it after the push: of two workers that check at the same time, at least one then sees the other's work. */
export async function findClashes({ job, journal }: Attempt, worktree: Worktree): Promise<Clash[]> {
  if (job.run === null) return [];
  await fetchAll(worktree.repository);
  const main = await mainOf(worktree.repository);
  const tips: Omit<Clash, "files">[] = [{ kind: "base", theirs: main }];
  for (const [theirs, branch] of await siblingTips(worktree, job.run.branch)) {
    tips.push({ kind: "sibling", branch, theirs });
  }
  const clashes: Clash[] = [];
  for (const tip of tips) {
    const files = await clashWith(worktree.folder, tip.theirs, journal);
    if (files.length === 0) continue;
    // If the sibling's work landed as other commits, main may have changed it since, so only the conflict with main
    // counts.
    if (tip.kind === "sibling" && (await isOnMain(worktree.folder, main, tip.theirs))) continue;
    clashes.push({ ...tip, files });
  }
  return clashes;
}

/** Commits of the run's other branches that this branch lacks, with their branches. */
async function siblingTips(
  { folder, repository: { remote }, branch }: Worktree,
  runBranch: string,
): Promise<[commit: string, branch: string][]> {
  const root = remote === null ? "refs/heads" : `refs/remotes/${remote}`;
  const format = `--format=%(objectname) %(refname:lstrip=${root.split("/").length})`;
  const args = ["for-each-ref", format, "--no-merged", "HEAD", `${root}/${runBranch}--*`];
  const lines = (await git(folder, ...args)).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const [commit = "", name = ""] = line.split(" ");
    return name === branch ? [] : [[commit, name]];
  });
}

/** If no one has seen the work and it no longer merges with main. Commits that are there already drop out. */
export async function rebaseUnseen(
  { journal }: Pick<Attempt, "journal">,
  worktree: Worktree,
  work: Work,
): Promise<Work> {
  const { folder, repository, branchTip, start, main: begun } = worktree;
  if (branchTip !== null || start !== begun || work.base !== start) return work;
  await fetchAll(repository);
  const main = await mainOf(repository);
  if (main === begun || !(await isAncestor(folder, begun, main))) return work;
  if ((await clashWith(folder, main, journal)).length === 0) return work;
  if ((await gitEnd(folder, ...committer, "rebase", "--quiet", main)).code !== 0) {
    await git(folder, "rebase", "--abort").catch(() => undefined);
    return work;
  }
  journal.say("The main branch has moved on: the work was rebased onto it");
  worktree.main = main;
  return { ...work, base: main };
}

/** Reports a conflict to the service, which decides who resolves it. */
export async function reportClash(attempt: Attempt, worktree: Worktree, clash: Clash) {
  const { job, service, journal } = attempt;
  const head = await git(worktree.folder, "rev-parse", "HEAD");
  const isDelivered = clash.ours !== undefined || (head === worktree.branchTip && clash.inVain === undefined);
  const kept = isDelivered ? null : await attempt.keeper.keep();
  await attempt.changes.send();
  await attempt.output.flush();
  await reportTotals(attempt);
  const decision = await service.post(
    `/api/jobs/${job.id}/conflicts`,
    {
      attempt: job.attempt,
      kind: clash.kind,
      branch: clash.branch,
      files: clash.files,
      in_vain: clash.inVain !== undefined,
      ours_sha: clash.inVain?.ours ?? clash.ours ?? head,
      theirs_sha: clash.theirs,
      pr_url: job.pr_url ?? undefined,
      ...sessionOf(attempt.tally.sessionId),
      ...(kept === null ? {} : { kept_ref: kept }),
    },
    conflictDecisionSchema,
  );
  const where = `Merge conflict ${otherOf(clash, decision)} in ${clash.files.map(({ path }) => path).join(", ")}`;
  journal.say(`${where}: ${decisionWords[decision.decision]}`);
  if (kept !== null) journal.say(`The work is kept on ${kept}`);
  return decision.decision;
}

const decisionWords: Record<ConflictDecision["decision"], string> = {
  go_on: "the other one resolves it",
  home: "the task returns to its agent with both versions",
  paused: "the run is paused",
};

function otherOf({ kind, branch }: Clash, { task_code }: ConflictDecision): string {
  if (kind === "base") return "with the main branch";
  if (kind === "branch") return "with what is on the branch by now";
  return `with ${task_code ?? branch}`;
}
