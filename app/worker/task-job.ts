import { verificationSchema } from "~/contract/agent-job";
import { type Attempt, execute, failureOf, logFileOf, type Outcome, park } from "./attempt";
import type { Assignment } from "./context-files";
import { deliver } from "./deliver";
import { type Evidence, gatherEvidence } from "./evidence";
import { finish, reportFailure, reportStart } from "./reports";
import { runCommand } from "./run-command";
import { commitLeftovers, type Worktree } from "./worktree";

/** One task: the command, the evidence, the gate, the branch, the report. */
export async function workOnTask(attempt: Attempt, worktree: Worktree): Promise<void> {
  const assignment = assignmentOf(attempt);
  await reportStart(attempt, worktree);
  const outcome = await execute(attempt, assignment, worktree.folder, {
    BACKLOOM_BASE_SHA: worktree.baseSha,
  });
  const failure = failureOf(outcome);
  if (failure !== undefined) return reportFailure(attempt, failure, outcome.result);
  await commitLeftovers(worktree.folder, `${assignment.taskCode}: ${assignment.title}`);
  if (outcome.result.question !== undefined) {
    await deliver(attempt, worktree);
    return park(attempt, outcome.result);
  }
  await conclude(attempt, worktree, outcome);
}

async function conclude(attempt: Attempt, worktree: Worktree, outcome: Outcome): Promise<void> {
  const { job } = attempt;
  const evidence = await examine(attempt, worktree, outcome, worktree.baseSha);
  const verification = await attempt.service.call(
    "verify_task_against_plan",
    {
      job_id: job.id,
      attempt: job.attempt,
      verify_result: evidence.verifyResult,
      changed_files: evidence.changedFiles.slice(0, 5_000),
      evidence: evidence.details,
      base_sha: worktree.baseSha,
      head_sha: evidence.headSha,
    },
    verificationSchema,
  );
  if (verification.report === null) {
    const failure = { failure_class: "verification_failed", failure_reason: verification.hint };
    return reportFailure(attempt, failure, outcome.result);
  }
  const delivery =
    evidence.changedFiles.length > 0
      ? await deliver(attempt, worktree)
      : { kind: "nothing" as const };
  if (delivery.kind === "conflict") return;
  await finish(attempt, verification.report, evidence, delivery, outcome.result);
}

/** The diff since a commit, and the test command where there is one; a failing test is a verdict of its own. */
export async function examine(
  attempt: Attempt,
  worktree: Worktree,
  { result }: Outcome,
  since: string,
): Promise<Evidence> {
  const { testCommand, timeoutMinutes } = attempt.options;
  if (testCommand === undefined) return gatherEvidence(worktree, since, result, undefined);
  const test = await runCommand({
    command: testCommand,
    folder: worktree.folder,
    environment: { BACKLOOM_JOB_ID: attempt.job.id },
    logFile: logFileOf(attempt),
    timeoutMinutes,
    signal: attempt.heartbeat.signal,
  });
  attempt.heartbeat.signal.throwIfAborted();
  const evidence = await gatherEvidence(worktree, since, result, test);
  const hasFailed = test.exitCode !== 0 && evidence.verifyResult !== "EMPTY";
  return hasFailed ? { ...evidence, verifyResult: "DIVERGENT" } : evidence;
}

function assignmentOf({ job }: Attempt): Assignment {
  return {
    job,
    taskCode: job.task?.code ?? null,
    storyCode: job.story?.code ?? null,
    title: job.task?.title ?? job.kind,
    description: job.task?.description ?? "",
    plan: job.plan,
    acceptanceCriteria: job.story?.acceptance_criteria ?? "",
  };
}
