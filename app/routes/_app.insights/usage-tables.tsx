import type { Insights } from "~/contract/insight";
import { UsageTable } from "./usage-table";

/** What a row is about, by its id; where something of that id has a page, the way there. */
type Name = readonly [id: string | null, label: string, path?: string];

function named<Row>(rows: readonly Row[], nameOf: (row: Row) => Name) {
  return rows.map((row) => {
    const [id, label, path] = nameOf(row);
    return { ...row, key: id ?? "", label, to: id && path ? path + id : null };
  });
}

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
  const { by_model, by_worker, by_sprint, by_run, by_story, by_task } = insights;
  const product = `/products/${productId}`;
  return (
    <>
      <UsageTable
        title="By model"
        rows={named(by_model, (row) => [row.model_id, row.model_id ?? "unknown model"])}
      />
      <UsageTable
        title="By worker"
        rows={named(by_worker, (row) => [row.worker_id, row.worker_name ?? "removed worker"])}
      />
      <UsageTable
        title="By sprint"
        rows={named(by_sprint, (row) => [
          row.sprint_id,
          row.sprint_code ?? "no sprint",
          `${product}/sprints/`,
        ])}
      />
      <UsageTable
        title="By run"
        rows={named(by_run, (row) => [
          row.sprint_run_id,
          row.branch ?? "no run",
          `${product}/runs/`,
        ])}
      />
      <UsageTable
        title="By story"
        rows={named(by_story, ({ story_id, story_code, story_title }) => [
          story_id,
          story_code ? `${story_code} ${story_title}` : "no story",
          "/stories/",
        ])}
      />
      <UsageTable
        title="By task"
        rows={named(by_task, ({ task_id, task_code, task_title }) => [
          task_id,
          task_code ? `${task_code} ${task_title}` : "no task",
          "/tasks/",
        ])}
      />
    </>
  );
}
