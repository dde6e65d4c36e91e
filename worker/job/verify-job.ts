import { git } from "../git/git";
import type { Worktree } from "../git/worktree";
import type { Attempt, Workspace } from "./attempt";
import { type Outcome, setUp } from "./commands";
import { observe } from "./proof/prove";
import { park, report, reportFailure, reportStart } from "./report/reports";
import { type Assignment, taskAssignment } from "./turn/assignment";
import { execute, failureOf } from "./turn/execute";

/** An agent that leaves out a criterion is asked once more. */
const mostTurns = 2;

/** A clean checkout and the criteria, without what that agent said. Commits and delivers nothing. */
export async function verifyWork(attempt: Attempt, workspace: Workspace): Promise<void> {
  const { job, journal } = attempt;
  const head = job.head_sha ?? workspace.start;
  await clean(workspace, head);
  await reportStart(attempt, workspace);
  await setUp(attempt, workspace);
  let assignment: Assignment = { ...taskAssignment(job, workspace), kept: [] };
  for (let turn = 1; ; turn += 1) {
    const outcome = await execute(attempt, workspace, assignment, { BACKLOOM_BASE_SHA: job.base_sha ?? "" });
    const failure = failureOf(outcome);
    if (failure !== undefined) return reportFailure(attempt, failure, outcome.result);
    if (outcome.result.question !== undefined) return park(attempt, assignment, outcome.result);
    await clean(workspace, head);
    const missing = await conclude(attempt, workspace, outcome, head);
    if (missing === null) return;
    journal.say(missing);
    if (turn === mostTurns) {
      return reportFailure(attempt, { failure_class: "agent_error", failure_reason: missing });
    }
    const previousFailure = [missing, outcome.leftOut].filter(Boolean).join("\n\n");
    assignment = { ...assignment, previousFailure };
  }
}

/** Reports the verdicts, or returns what is missing if a criterion has none that counts. */
async function conclude(
  attempt: Attempt,
  workspace: Workspace,
  outcome: Outcome,
  headSha: string,
): Promise<string | null> {
  const { criteria } = attempt.job;
  const observed = await observe(attempt, workspace, criteria, outcome, { headSha, details: {} });
  const evidence = observed.map(({ line }) => line);
  const counted = evidence.filter(({ command, excerpt }) => command || excerpt?.trim());
  const silent = criteria.filter(
    ({ id, story_id, state }) =>
      state !== "waived" && !counted.some((line) => line.criterion === id && line.story_id === story_id),
  );
  if (silent.length > 0) {
    const names = silent.map(({ id, text }) => `- ${id} ${text}`).join("\n");
    return `No verdict with a command or with what was looked at:\n${names}`;
  }
  await report(attempt, "done", { evidence: counted, summary: outcome.result.summary });
  const failed = counted.filter(({ verdict }) => verdict !== undefined && verdict !== "pass");
  attempt.journal.say(
    failed.length === 0
      ? "Verified: every criterion holds"
      : `Verified: ${failed.length} of ${counted.length} failed, the work returns to its agent`,
  );
  return null;
}

async function clean({ folder }: Worktree, head: string): Promise<void> {
  await git(folder, "reset", "--quiet", "--hard", head);
  await git(folder, "clean", "--quiet", "-d", "--force");
}
