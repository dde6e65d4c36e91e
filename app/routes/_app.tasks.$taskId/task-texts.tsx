import { EditableText } from "~/components/in-place/editable-text";
import type { SafeHtml } from "~/components/prose";
import type { TaskPageData } from "~/contract/page-data";

/** What a task is about and how it is to be done, on its page and in its panel. */
export function TaskTexts({
  task,
  description,
  plan,
  inPanel = false,
  intent = "edit",
}: {
  task: TaskPageData["task"];
  description: SafeHtml | null;
  plan: SafeHtml | null;
  inPanel?: boolean;
  intent?: string;
}) {
  const fields = { intent, task_id: task.id };
  return (
    <>
      <EditableText
        key={`description ${task.id}`}
        label="Description"
        name="description"
        value={task.description}
        fields={fields}
        content={description}
        empty="What is to be done, in a few words."
        inPanel={inPanel}
      />
      <EditableText
        key={`plan ${task.id}`}
        label="Implementation plan"
        name="implementation_plan"
        value={task.implementation_plan ?? ""}
        fields={fields}
        content={plan}
        empty="No plan yet. A run starts only when every task has one."
        mono
        inPanel={inPanel}
      />
    </>
  );
}
