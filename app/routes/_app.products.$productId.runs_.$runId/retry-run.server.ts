import type { SprintRunDetail } from "~/contract/sprint-run";
import type { Actor } from "~/db/rpc.server";
import { getSprintRun, resumeSprint, startRun } from "~/domain/sprint-runs/operations.server";
import { setTaskStatus } from "~/domain/tasks/operations.server";
import { partsOf } from "~/features/runs/stopped-run";

const ended = new Set(["done", "skipped"]);

/** Continues a stopped run with or without its failed tasks. `id` is null if nothing is left to run. */
export async function retryRun(
  actor: Actor,
  sprint_run_id: string,
  { skip }: { skip: boolean },
): Promise<{ id: string | null; sprintId: string | null }> {
  const run = await getSprintRun(actor, { sprint_run_id });
  const sprintId = run.sprint_id;
  if (sprintId !== null) {
    const next = await resumeSprint(actor, { sprint_id: sprintId, skip_failed: skip });
    return { id: next?.id ?? null, sprintId };
  }
  const open = openTasks(run);
  const skipped = open.filter(({ status }) => skip && status === "failed");
  // While one of its tasks has failed, a story is failed, and no run starts it.
  for (const { task_id } of skipped) await setTaskStatus(actor, { task_id, status: "todo" });
  const task_ids = open.filter((task) => !skipped.includes(task)).map(({ task_id }) => task_id);
  const next = await startRun(actor, { task_ids, leave_out: skip || undefined });
  return { id: next.run.id, sprintId };
}

/** Returns the run's tasks that are not done, not even by hand. */
function openTasks(run: SprintRunDetail) {
  const byHand = new Set(
    run.jobs.flatMap(({ task_id, task_status }) => (task_status === "done" ? task_id : [])),
  );
  return partsOf(run).flatMap(({ task_id, status }) =>
    task_id && !ended.has(status) && !byHand.has(task_id) ? [{ task_id, status }] : [],
  );
}
