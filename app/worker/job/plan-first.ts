import { lengths } from "~/contract/limits";
import { agentJobSchema } from "~/nouns/agent-jobs/contract";
import { taskExecutionSchema } from "~/nouns/sprint-runs/task-execution";
import { sendable } from "../base/sendable";
import type { Assignment } from "./assignment";
import { type Attempt, type Outcome, ofTask } from "./attempt";
import { execute, failureOf } from "./execute";

/**
 * Runs one assignment. If the run wants a plan and there is none, a turn before writes it. People can read it in the
 * task while the work continues in the same conversation.
 */
export async function planAndExecute(
  attempt: Attempt,
  assignment: Assignment,
  folder: string,
  extra: Record<string, string>,
): Promise<Outcome> {
  if (!needsPlan(attempt, assignment)) return execute(attempt, assignment, folder, extra);
  const environment = { ...extra, BACKLOOM_PLAN_FIRST: "1" };
  const outcome = await execute(attempt, { ...assignment, planning: true }, folder, environment);
  if (failureOf(outcome) !== undefined || outcome.result.question !== undefined) return outcome;
  const written = planOf(attempt, outcome);
  if (written === undefined) {
    attempt.journal.say("No plan was written: the work continues without one");
    return execute(attempt, assignment, folder, extra);
  }
  // Kept for further turns of this attempt.
  assignment.plan = await handIn(attempt, assignment, written);
  attempt.journal.say(`${assignment.taskCode ?? "The job"} is planned`);
  return execute(attempt, { ...assignment, planned: true }, folder, extra);
}

function needsPlan({ job }: Attempt, { plan, verifyOnly, mending }: Assignment): boolean {
  return job.plan_first === true && !plan?.trim() && !verifyOnly && mending === null;
}

/** An agent may print its plan instead of writing it to the file. A command's output could be anything. */
function planOf({ options }: Pick<Attempt, "options">, { result }: Outcome): string | undefined {
  const words = "agent" in options.work ? result.summary : undefined;
  const plan = result.implementation_plan ?? words;
  return plan?.trim() ? sendable(plan, lengths.text) : undefined;
}

/** Saves the plan and returns the one that applies: a plan that a person wrote meanwhile stays. */
async function handIn(
  attempt: Attempt,
  { taskId }: Assignment,
  implementation_plan: string,
): Promise<string> {
  const { job, service } = attempt;
  const report = {
    ...{ job_id: job.id, attempt: job.attempt, status: "running", implementation_plan },
  };
  const { plan_snapshot } =
    job.kind === "SPRINT_IMPLEMENTATION"
      ? await ofTask(
          attempt,
          service.call(
            "update_task_execution",
            { ...report, task_id: taskId },
            taskExecutionSchema,
          ),
        )
      : await service.call("update_job_status", report, agentJobSchema);
  return plan_snapshot ?? implementation_plan;
}
