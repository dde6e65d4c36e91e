import { SubmitButton } from "~/components/button";
import { SelectField, TextAreaField, TextField } from "~/components/field";
import { priorityOptions } from "~/components/priority";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { WriteFields } from "~/components/write-access";
import { CopyFilledLink } from "./copy-filled-link";
import type { FilledField } from "./panel-parameters";

type Given = Partial<Record<FilledField, string>>;

export function NewPbiPanel({ given }: { given: Given }) {
  const form = useServerForm<"title" | "description" | "priority" | "code">({
    lastResult: useAnswer(),
    defaultValue: { priority: "3", ...given },
  });
  return (
    <ServerForm form={form}>
      <WriteFields className="grid gap-4">
        <input type="hidden" name="intent" value="create-pbi" />
        <TextField label="Title" required autoFocus {...form.field("title")} />
        <TextAreaField
          label="Description"
          required={false}
          description="Why it is wanted. Markdown."
          {...form.field("description")}
        />
        <SelectField label="Priority" options={priorityOptions()} {...form.field("priority")} />
        <SubmitButton pendingLabel="Creating…">Create PBI</SubmitButton>
        <CopyFilledLink panel="new-pbi" />
      </WriteFields>
    </ServerForm>
  );
}

export function NewStoryPanel({
  pbis,
  pbiId,
  given,
}: {
  pbis: readonly { id: string; code: string; title: string }[];
  pbiId: string | null;
  given: Given;
}) {
  const form = useServerForm<
    "title" | "pbi_id" | "description" | "acceptance_criteria" | "priority"
  >({
    lastResult: useAnswer(),
    defaultValue: { priority: "3", ...given, pbi_id: pbiId ?? pbis[0]?.id },
  });
  return (
    <ServerForm form={form}>
      <WriteFields className="grid gap-4">
        <input type="hidden" name="intent" value="create-story" />
        <TextField
          label="Title"
          required
          autoFocus
          description="What a person gets."
          {...form.field("title")}
        />
        <SelectField
          label="Belongs to"
          options={pbis.map((pbi) => ({ value: pbi.id, label: `${pbi.code} ${pbi.title}` }))}
          {...form.field("pbi_id")}
        />
        <TextAreaField label="Description" required={false} {...form.field("description")} />
        <TextAreaField
          label="Acceptance criteria"
          required={false}
          description="How one sees that it is done. Markdown."
          {...form.field("acceptance_criteria")}
        />
        <SelectField
          label="Priority"
          description="A label; it changes no order."
          options={priorityOptions()}
          {...form.field("priority")}
        />
        <SubmitButton pendingLabel="Creating…">Create story</SubmitButton>
        <CopyFilledLink panel="new-story" />
      </WriteFields>
    </ServerForm>
  );
}

export function NewTaskPanel({
  story,
  given,
}: {
  story: { id: string; code: string; title: string };
  given: Given;
}) {
  const form = useServerForm<"title" | "description" | "implementation_plan">({
    lastResult: useAnswer(),
    defaultValue: given,
  });
  return (
    <ServerForm form={form}>
      <WriteFields className="grid gap-4">
        <input type="hidden" name="intent" value="create-task" />
        <input type="hidden" name="story_id" value={story.id} />
        <p className="text-sm text-muted">{story.title}</p>
        <TextField label="Title" required autoFocus {...form.field("title")} />
        <TextAreaField label="Description" required={false} {...form.field("description")} />
        <TextAreaField
          label="Implementation plan"
          required={false}
          mono
          description="What the agent follows. A run starts only when every task has one."
          {...form.field("implementation_plan")}
        />
        <SubmitButton pendingLabel="Creating…">Create task</SubmitButton>
        <CopyFilledLink panel="new-task" />
      </WriteFields>
    </ServerForm>
  );
}
