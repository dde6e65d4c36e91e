import type { SprintRunDetail } from "~/contract/sprint-run";
import type { Actor } from "~/db/rpc.server";
import { getSprintRun, resumeSprint, startRun } from "~/domain/sprint-runs/operations.server";
import { setTaskStatus } from "~/domain/tasks/operations.server";
import { partsOf } from "~/features/runs/stopped-run";

const ended = new Set(["done", "skipped"]);

/** Goes on from a run that stopped at a failure, with what failed or without it. Null: nothing is left to run. */
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
  // A story is failed as long as one of its tasks is, and no run begins it.
  for (const { task_id } of skipped) await setTaskStatus(actor, { task_id, status: "todo" });
  const task_ids = open.filter((task) => !skipped.includes(task)).map(({ task_id }) => task_id);
  const next = await startRun(actor, { task_ids, leave_out: skip || undefined });
  return { id: next.run.id, sprintId };
}

/** What of a run is not done yet, also not by hand. */
function openTasks(run: SprintRunDetail) {
  const byHand = new Set(
    run.jobs.flatMap(({ task_id, task_status }) => (task_status === "done" ? task_id : [])),
  );
  return partsOf(run).flatMap(({ task_id, status }) =>
    task_id && !ended.has(status) && !byHand.has(task_id) ? [{ task_id, status }] : [],
  );
}
