import type { Insights } from "~/contract/insight";
import { UsageTable } from "./usage-table";

/** The same numbers by everything that they can be told apart by. */
export function UsageTables({
  insights,
  productId,
}: {
  insights: Pick<
    Insights,
    "by_model" | "by_worker" | "by_sprint" | "by_run" | "by_story" | "by_task"
  >;
  productId: string;
}) {
  return (
    <>
      <UsageTable
        title="By model"
        rows={insights.by_model.map((row) => ({
          ...row,
          key: row.model_id ?? "",
          label: row.model_id ?? "unknown model",
          to: null,
        }))}
      />
      <UsageTable
        title="By worker"
        rows={insights.by_worker.map((row) => ({
          ...row,
          key: row.worker_id ?? "",
          label: row.worker_name ?? "a worker that is gone",
          to: null,
        }))}
      />
      <UsageTable
        title="By sprint"
        rows={insights.by_sprint.map((row) => ({
          ...row,
          key: row.sprint_id ?? "",
          label: row.sprint_code ?? "outside sprints",
          to: row.sprint_id ? `/products/${productId}/sprints/${row.sprint_id}` : null,
        }))}
      />
      <UsageTable
        title="By run"
        rows={insights.by_run.map((row) => ({
          ...row,
          key: row.sprint_run_id ?? "",
          label: row.branch ?? "outside runs",
          to: row.sprint_run_id ? `/products/${productId}/runs/${row.sprint_run_id}` : null,
        }))}
      />
      <UsageTable
        title="By story"
        rows={insights.by_story.map((row) => ({
          ...row,
          key: row.story_id ?? "",
          label: row.story_code ? `${row.story_code} ${row.story_title}` : "without a story",
          to: row.story_id ? `/stories/${row.story_id}` : null,
        }))}
      />
      <UsageTable
        title="By task"
        rows={insights.by_task.map((row) => ({
          ...row,
          key: row.task_id ?? "",
          label: row.task_code ? `${row.task_code} ${row.task_title}` : "without a task",
          to: row.task_id ? `/tasks/${row.task_id}` : null,
        }))}
      />
    </>
  );
}
