import type { Actor } from "~/db/rpc.server";
import { isOver } from "~/features/jobs/job-badges";
import { curesOfStart, runWithLeftOut } from "~/features/runs/run-cures.server";
import { partsOf } from "~/features/runs/stopped-run";
import { getSprintRun, resumeSprint, startRun } from "~/nouns/sprint-runs/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import type { SprintRunDetail } from "~/wire/sprint-runs/contract";

const ended = new Set(["done", "skipped"]);

/** As it began, with or without its failed tasks. Returns the new run's address, or the sprint's if nothing is left. */
export async function retryRun(
  actor: Actor,
  sprint_run_id: string,
  { skip, chosen }: { skip: boolean; chosen: readonly string[] },
): Promise<string> {
  const run = await getSprintRun(actor, { sprint_run_id });
  const cures = curesOfStart(chosen);
  const { sprint_id, product_id } = run;
  if (sprint_id !== null) {
    const next = await resumeSprint(actor, { sprint_id, skip_failed: skip, ...cures });
    if (!next) return `/products/${product_id}/sprints/${sprint_id}`;
    return runWithLeftOut(product_id, next.id, next.left_out);
  }
  const open = openTasks(run);
  const skipped = open.filter(({ status }) => skip && status === "failed");
  // While one of its tasks has failed, a story is failed, and no run starts it.
  for (const { task_id } of skipped) await setTaskStatus(actor, { task_id, status: "todo" });
  const task_ids = open.filter((task) => !skipped.includes(task)).map(({ task_id }) => task_id);
  const { plan_review } = run;
  const asBefore = { plan_first: run.plan_first || undefined, plan_review, leave_out: skip || undefined };
  const next = await startRun(actor, { task_ids, ...asBefore, ...cures });
  return runWithLeftOut(product_id, next.run.id, next.left_out);
}

/** Returns the run's tasks that are still to do: neither done, not even by hand, nor waiting for a review. */
function openTasks(run: SprintRunDetail) {
  const over = new Set(run.jobs.flatMap((job) => (isOver(job) ? job.task_id : [])));
  return partsOf(run).flatMap(({ task_id, status }) =>
    task_id && !ended.has(status) && !over.has(task_id) ? [{ task_id, status }] : [],
  );
}
