import type { SafeHtml } from "~/features/markdown/prose";
import type { TaskPageData } from "~/nouns/pages/contract";
import { EditableText } from "./editable-text";

/** A task's description and plan, on its page and in its panel. */
export function TaskTexts({
  task,
  description,
  plan,
  inPanel = false,
  action,
}: {
  task: TaskPageData["task"];
  description: SafeHtml | null;
  plan: SafeHtml | null;
  inPanel?: boolean;
  /** Form action, if it is not the page's. */
  action?: string | undefined;
}) {
  const shared = {
    version: task.version,
    fields: { intent: "edit", task_id: task.id },
    files: { product_id: task.product_id, task_id: task.id },
    ...{ action, inPanel },
  };
  return (
    <>
      <EditableText
        key={`description ${task.id}`}
        label="Description"
        name="description"
        value={task.description}
        {...shared}
        content={description}
        empty="What needs to be done?"
      />
      <EditableText
        key={`plan ${task.id}`}
        label="Implementation plan"
        name="implementation_plan"
        value={task.implementation_plan ?? ""}
        {...shared}
        content={plan}
        empty="No plan yet. A run needs a plan for every task."
        mono
      />
    </>
  );
}
