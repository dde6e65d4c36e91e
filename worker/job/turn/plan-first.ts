import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { lengths } from "~/wire/limits";
import { taskExecutionSchema } from "~/wire/sprint-runs/contract";
import { endLeftRunning } from "../../base/orphans";
import { sendable } from "../../base/sendable";
import { changingNothing } from "../../git/planning";
import type { Attempt, Workspace } from "../attempt";
import type { Outcome } from "../commands";
import { ofTask } from "../report/reports";
import { sessionOf } from "../report/tally";
import { reportTotals } from "../report/usage";
import type { Assignment } from "./assignment";
import { execute, failureOf } from "./execute";

/**
 * If the run wants a plan and there is none, a turn before writes it, which people read while work continues in the
 * same conversation. Null if a person approves it first: then the attempt is over.
 */
export async function planAndExecute(
  attempt: Attempt,
  workspace: Workspace,
  assignment: Assignment,
  extra: Record<string, string>,
): Promise<Outcome | null> {
  if (!needsPlan(attempt, assignment)) return execute(attempt, workspace, assignment, extra);
  const environment = { ...extra, BACKLOOM_PLAN_FIRST: "1" };
  const plan = () => execute(attempt, workspace, { ...assignment, planning: true }, environment);
  const waits = isApproved(attempt);
  // What still ran in the background would change the folder once more.
  const ended = () => plan().finally(() => endLeftRunning(attempt.job.id));
  const outcome = await (waits ? changingNothing(workspace, ended) : plan());
  if (failureOf(outcome) !== undefined || outcome.result.question !== undefined) return outcome;
  const written = planOf(attempt, outcome);
  if (waits) return awaitVerdict(attempt, assignment, outcome, written);
  if (written === undefined) {
    attempt.journal.say("No plan was written: the work continues without one");
    return execute(attempt, workspace, assignment, extra);
  }
  // Kept for further turns of this attempt.
  assignment.plan = await handIn(attempt, assignment, written);
  attempt.journal.say(`${assignment.taskCode ?? "The job"} is planned`);
  return execute(attempt, workspace, { ...assignment, planned: true }, extra);
}

/** Whether the attempt's first turn only writes a plan for a person: nothing is to be in its folder but the project. */
export function onlyPlans(attempt: Attempt, assignment: Assignment): boolean {
  return isApproved(attempt) && needsPlan(attempt, assignment);
}

function needsPlan({ job }: Attempt, { plan, verifyOnly, resolution }: Assignment): boolean {
  return job.plan_first === true && !plan?.trim() && !verifyOnly && resolution === null;
}

function isApproved({ job }: Attempt): boolean {
  return job.plan_review === "person";
}

/** Hands the plan in, which ends the attempt. Without a plan there is nothing to approve, and nothing may begin. */
async function awaitVerdict(
  attempt: Attempt,
  assignment: Assignment,
  outcome: Outcome,
  written: string | undefined,
): Promise<Outcome | null> {
  if (written === undefined) {
    const failure_reason = "No plan was written, and a person approves the plan before the work begins.";
    return { ...outcome, result: { failure_class: "agent_error", failure_reason } };
  }
  await reportTotals(attempt);
  await attempt.output.flush();
  await handIn(attempt, assignment, written);
  attempt.journal.say(`${assignment.taskCode ?? "The job"} is planned, and waits for approval`);
  return null;
}

/** An agent may print its plan instead of writing it to the file. A command's output could be anything. */
function planOf({ options }: Pick<Attempt, "options">, { result }: Outcome): string | undefined {
  const words = "agents" in options.work ? result.summary : undefined;
  const plan = result.implementation_plan ?? words;
  return plan?.trim() ? sendable(plan, lengths.text) : undefined;
}

/** Saves the plan and returns the one that applies: a plan that a person wrote stays. */
async function handIn(attempt: Attempt, { taskId }: Assignment, implementation_plan: string): Promise<string> {
  const { job, service } = attempt;
  const report = { job_id: job.id, attempt: job.attempt, status: "running", implementation_plan };
  const { plan_snapshot } =
    job.kind === "SPRINT_IMPLEMENTATION"
      ? await ofTask(
          attempt,
          service.call("update_task_execution", { ...report, task_id: taskId }, taskExecutionSchema),
        )
      : await service.call("update_job_status", { ...report, ...sessionOf(attempt.tally.sessionId) }, agentJobSchema);
  return plan_snapshot ?? implementation_plan;
}
