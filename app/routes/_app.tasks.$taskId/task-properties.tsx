import { PriorityPicker, TaskStatusPicker, WhoProperties } from "~/features/in-place/pickers";
import { Picker, Properties, TypedProperty } from "~/features/in-place/properties";
import { DeleteTask } from "~/features/items/delete-item";
import { LabelsProperty } from "~/features/labels/labels-property";
import { codeAndTitle } from "~/ui/isolated";
import type { TaskPageData } from "~/wire/pages/contract";

const verifyOptions = [
  { value: "ALIGNED", label: "Must follow the plan" },
  { value: "ALIGNED_OR_PARTIAL", label: "May follow the plan in part" },
  { value: "ANY", label: "Any result" },
];

const yesOrNo = (yes: string, no: string) => [
  { value: "no", label: no },
  { value: "yes", label: yes },
];

export function TaskProperties({ page }: { page: TaskPageData }) {
  const { task, stories, story, product } = page;
  const edit = { intent: "edit", task_id: task.id };
  return (
    <Properties footer={<DeleteTask task={task} goTo={`/stories/${story.id}`} />}>
      <TaskStatusPicker task={task} />
      <PriorityPicker value={task.priority} fields={edit} />
      <LabelsProperty
        labels={task.labels}
        all={page.labels}
        fields={{ intent: "set-labels", task_id: task.id }}
        productId={product.id}
      />
      <Picker
        label="Story"
        name="story_id"
        value={story.id}
        fields={{ intent: "move", task_id: task.id }}
        options={stories.map((parent) => ({ value: parent.id, label: codeAndTitle(parent) }))}
      />
      <Picker
        label="Verification"
        name="verify_required"
        value={task.verify_required}
        fields={edit}
        options={verifyOptions}
      />
      <Picker
        label="Mode"
        name="verify_only"
        value={task.verify_only ? "yes" : "no"}
        fields={edit}
        options={yesOrNo("Verify only", "Implement")}
      />
      <WhoProperties above="story" who={task} fields={edit} />
      <Picker
        label="Model strength"
        name="requires_opus"
        value={task.requires_opus ? "yes" : "no"}
        fields={edit}
        options={yesOrNo("Strongest", "Any")}
      />
      <TypedProperty
        label="Estimate (minutes)"
        name="estimated_minutes"
        value={task.estimated_minutes?.toString() ?? ""}
        fields={edit}
        empty="No estimate"
        inputMode="numeric"
      />
      <TypedProperty
        label="Repository"
        name="repo_url"
        value={task.repo_url ?? ""}
        fields={edit}
        empty="Same as product"
        placeholder={product.repo_url}
        note={page.repo_url_by ? `set by ${page.repo_url_by}` : undefined}
        inputMode="url"
      />
      <TypedProperty label="Code" name="code" value={task.code} fields={edit} mono />
    </Properties>
  );
}
