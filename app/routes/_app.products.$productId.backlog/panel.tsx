import { StoryPanel, TaskPanel } from "~/features/items/item-panels";
import { priorityOptions } from "~/features/items/lists/priority";
import { useActionResult } from "~/ui/action-result";
import { CopyButton } from "~/ui/copy-button";
import { HiddenFields, SelectField, TextAreaField, TextField } from "~/ui/field";
import { CreateButtons, CreatedBefore } from "~/ui/forms/create-buttons";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { codeAndTitle } from "~/ui/isolated";
import { SidePanel } from "~/ui/side-panel";
import { WriteFields } from "~/ui/write-access";
import type { PanelData } from "./panel-data.server";
import { PastePanel } from "./paste-panel";
import { PbiPanel } from "./pbi-panel";
import { type FilledField, filledFields, useTreeAddress } from "./tree-address";

export interface PanelProps {
  panel: PanelData;
  pbis: readonly { id: string; code: string; title: string; status: string }[];
  /** Stories that tasks can be added to: those not done. */
  stories: readonly { id: string; code: string; title: string }[];
  closeTo: string;
}

/** Details of an item, or a form for a new one. Keyed, so that no field keeps another item's text. */
export default function Panel(props: PanelProps) {
  const { panel, pbis, stories, closeTo } = props;
  const address = useTreeAddress();
  if (panel.kind === "new-pbi") {
    return (
      <SidePanel key="new-pbi" title="New PBI" closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewPbiPanel key={panel.made} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "paste") {
    return (
      <SidePanel key="paste" title="Paste a list" closeTo={closeTo}>
        {/* The key empties the panel after a list was created. */}
        <PastePanel key={panel.made} pbis={pbis} stories={stories} into={panel.into} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-story") {
    return (
      <SidePanel key="new-story" title="New story" closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewStoryPanel key={panel.made} pbis={pbis} pbiId={panel.pbiId} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-task") {
    return (
      <SidePanel key="new-task" title={`New task in ${panel.story.code}`} closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewTaskPanel key={panel.made} story={panel.story} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "pbi")
    return (
      <PbiPanel
        key={panel.pbi.id}
        pbi={panel.pbi}
        description={panel.description}
        comments={panel.comments}
        isOwner={panel.isOwner}
        pbis={pbis}
        closeTo={closeTo}
      />
    );
  if (panel.kind === "story")
    return (
      <StoryPanel
        key={panel.page.story.id}
        {...panel}
        newTaskTo={address.newTaskTo(panel.page.story.id)}
        closeTo={closeTo}
      />
    );
  return <TaskPanel key={panel.page.task.id} {...panel} closeTo={closeTo} />;
}

type Given = Partial<Record<FilledField, string>>;

function NewPbiPanel({ given }: { given: Given }) {
  const form = useServerForm<"title" | "description" | "priority" | "code">({
    lastResult: useActionResult(),
    defaultValue: { priority: "3", ...given },
  });
  return (
    <ServerForm form={form} creates draft="new-pbi">
      <WriteFields className="grid gap-4">
        <input type="hidden" name="intent" value="create-pbi" />
        <TextField label="Title" required autoFocus {...form.field("title")} />
        <TextAreaField
          label="Description"
          required={false}
          description="Why is it needed? Markdown."
          {...form.field("description")}
        />
        <SelectField label="Priority" options={priorityOptions()} {...form.field("priority")} />
        <CreateButtons noun="PBI" />
        <CopyFilledLink panel="new-pbi" />
      </WriteFields>
    </ServerForm>
  );
}

function NewStoryPanel({
  pbis,
  pbiId,
  given,
}: {
  pbis: readonly { id: string; code: string; title: string; status: string }[];
  pbiId: string | null;
  given: Given;
}) {
  const form = useServerForm<"title" | "pbi_id" | "description" | "acceptance_criteria" | "priority">({
    lastResult: useActionResult(),
    defaultValue: {
      priority: "3",
      ...given,
      pbi_id: pbiId ?? (pbis.find(({ status }) => status !== "done") ?? pbis[0])?.id,
    },
  });
  return (
    <ServerForm form={form} creates draft="new-story">
      <WriteFields className="grid gap-4">
        <input type="hidden" name="intent" value="create-story" />
        <TextField label="Title" required autoFocus description="What the user gets." {...form.field("title")} />
        <SelectField
          label="PBI"
          options={pbis.map((pbi) => ({ value: pbi.id, label: codeAndTitle(pbi) }))}
          {...form.field("pbi_id")}
        />
        <TextAreaField label="Description" required={false} {...form.field("description")} />
        <TextAreaField
          label="Acceptance criteria"
          required={false}
          description="What is true when it is done? Markdown."
          {...form.field("acceptance_criteria")}
        />
        <SelectField
          label="Priority"
          description="Shown on the story. It does not change the order."
          options={priorityOptions()}
          {...form.field("priority")}
        />
        <CreateButtons noun="story" />
        <CopyFilledLink panel="new-story" />
      </WriteFields>
    </ServerForm>
  );
}

function NewTaskPanel({ story, given }: { story: { id: string; code: string; title: string }; given: Given }) {
  const form = useServerForm<"title" | "description" | "implementation_plan">({
    lastResult: useActionResult(),
    defaultValue: given,
  });
  return (
    <ServerForm form={form} creates draft={`new-task ${story.id}`}>
      <WriteFields className="grid gap-4">
        <HiddenFields fields={{ intent: "create-task", story_id: story.id }} />
        <p className="text-sm text-muted">{story.title}</p>
        <TextField label="Title" required autoFocus {...form.field("title")} />
        <TextAreaField label="Description" required={false} {...form.field("description")} />
        <TextAreaField
          label="Implementation plan"
          required={false}
          mono
          description="The steps for the agent. A run needs a plan for every task."
          {...form.field("implementation_plan")}
        />
        <CreateButtons noun="task" />
        <CopyFilledLink panel="new-task" />
      </WriteFields>
    </ServerForm>
  );
}

const parents = { pbi_id: "pbi", story_id: "story" } as const;

/** Copies a link to the filled-in form. Opening it creates nothing yet. */
function CopyFilledLink({ panel }: { panel: string }) {
  return (
    <CopyButton
      tone="quiet"
      label="Copy link with these values"
      text={(button) => addressOf(panel, new FormData(button.form ?? undefined))}
    />
  );
}

function addressOf(panel: string, values: FormData): string {
  const params = new URLSearchParams({ panel });
  const add = (name: string, value: FormDataEntryValue | null) => {
    if (typeof value === "string" && value !== "") params.set(name, value);
  };
  for (const [field, name] of Object.entries(parents)) add(name, values.get(field));
  for (const name of filledFields) add(name, values.get(name));
  return `${location.origin}${location.pathname}?${params}`;
}
