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
  const fields = { intent: "edit", task_id: task.id };
  const files = { product_id: task.product_id, task_id: task.id };
  return (
    <>
      <EditableText
        key={`description ${task.id}`}
        label="Description"
        name="description"
        value={task.description}
        version={task.version}
        fields={fields}
        action={action}
        files={files}
        content={description}
        empty="What needs to be done?"
        inPanel={inPanel}
      />
      <EditableText
        key={`plan ${task.id}`}
        label="Implementation plan"
        name="implementation_plan"
        value={task.implementation_plan ?? ""}
        version={task.version}
        fields={fields}
        action={action}
        files={files}
        content={plan}
        empty="No plan yet. A run needs a plan for every task."
        mono
        inPanel={inPanel}
      />
    </>
  );
}
