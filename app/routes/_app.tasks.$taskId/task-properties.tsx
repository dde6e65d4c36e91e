import { movableColumns } from "~/components/board/columns";
import { DeleteThing } from "~/components/delete-thing";
import { PriorityPicker } from "~/components/in-place/priority-picker";
import { Picker, Properties, TypedProperty } from "~/components/in-place/properties";
import { statusLook } from "~/components/status";
import type { TaskPageData } from "~/contract/page-data";

const verifyOptions = [
  { value: "ALIGNED", label: "Done when it follows the plan" },
  { value: "ALIGNED_OR_PARTIAL", label: "Done when it follows it in part" },
  { value: "ANY", label: "Done whatever the check says" },
];

const yesOrNo = (yes: string, no: string) => [
  { value: "no", label: no },
  { value: "yes", label: yes },
];

export function TaskProperties({ page }: { page: TaskPageData }) {
  const { task, stories, story, product } = page;
  const edit = { intent: "edit", task_id: task.id };
  return (
    <Properties footer={<DeleteTask task={task} />}>
      <Picker
        label="Status"
        name="status"
        value={task.status}
        fields={{ intent: "set-status", task_id: task.id }}
        options={[
          ...movableColumns.map(({ status, label }) => ({ value: status, label })),
          ...(task.status === "failed"
            ? [{ value: "failed", label: statusLook("failed").label }]
            : []),
        ]}
      />
      <PriorityPicker value={task.priority} fields={edit} />
      <Picker
        label="Story"
        name="story_id"
        value={story.id}
        fields={{ intent: "move", task_id: task.id }}
        options={stories.map(({ id, code, title }) => ({ value: id, label: `${code} ${title}` }))}
      />
      <Picker
        label="After its job"
        name="verify_required"
        value={task.verify_required}
        fields={edit}
        options={verifyOptions}
      />
      <Picker
        label="Its job"
        name="verify_only"
        value={task.verify_only ? "yes" : "no"}
        fields={edit}
        options={yesOrNo("Checks what is there already", "Does the work")}
      />
      <Picker
        label="Model"
        name="requires_opus"
        value={task.requires_opus ? "yes" : "no"}
        fields={edit}
        options={yesOrNo("Needs the strongest", "Any")}
      />
      <TypedProperty
        label="Minutes"
        name="estimated_minutes"
        value={task.estimated_minutes?.toString() ?? ""}
        fields={edit}
        empty="Not estimated"
        inputMode="numeric"
      />
      <TypedProperty
        label="Repository"
        name="repo_url"
        value={task.repo_url ?? ""}
        fields={edit}
        empty="The product's"
        placeholder={product.repo_url}
        inputMode="url"
      />
      <TypedProperty label="Code" name="code" value={task.code} fields={edit} mono />
    </Properties>
  );
}

function DeleteTask({ task }: { task: TaskPageData["task"] }) {
  return (
    <DeleteThing
      noun="task"
      code={task.code}
      loss="Its jobs and history go with it."
      fields={{ intent: "delete" }}
      goTo={`/stories/${task.story_id}`}
    />
  );
}
