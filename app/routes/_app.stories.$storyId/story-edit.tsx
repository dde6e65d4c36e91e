import { Form, useFetcher } from "@remix-run/react";
import type { ActionAnswer } from "~/components/action-form";
import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { Confirm } from "~/components/confirm";
import { SelectField, TextAreaField, TextField } from "~/components/field";
import { priorityOptions } from "~/components/priority";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { StoryPageData } from "~/contract/page-data";

export function StoryEdit({ page }: { page: StoryPageData }) {
  const { story, pbis, tasks } = page;
  const fetcher = useFetcher<ActionAnswer>({ key: `edit-${story.id}` });
  const form = useServerForm<
    "title" | "description" | "acceptance_criteria" | "code" | "priority" | "pbi_id"
  >({
    lastResult: fetcher.data,
    defaultValue: {
      title: story.title,
      description: story.description,
      acceptance_criteria: story.acceptance_criteria,
      code: story.code,
      priority: String(story.priority),
      pbi_id: story.pbi_id,
    },
  });
  return (
    <Section title="Edit">
      <ServerForm form={form} fetcher={fetcher}>
        <WriteFields className="grid gap-3">
          <input type="hidden" name="intent" value="update" />
          <TextField label="Title" required {...form.field("title")} />
          <TextAreaField label="Description" required={false} {...form.field("description")} />
          <TextAreaField
            label="Acceptance criteria"
            required={false}
            {...form.field("acceptance_criteria")}
          />
          <SelectField
            label="Belongs to"
            options={pbis.map((pbi) => ({ value: pbi.id, label: `${pbi.code} ${pbi.title}` }))}
            {...form.field("pbi_id")}
          />
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="Priority"
              options={priorityOptions(story.priority)}
              {...form.field("priority")}
            />
            <TextField label="Code" mono {...form.field("code")} />
          </div>
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
            Save
          </SubmitButton>
        </WriteFields>
      </ServerForm>
      <div className="mt-3 border-t border-line pt-3">
        <WriteFields quiet>
          <Confirm
            trigger="Delete story"
            size="sm"
            question={`Delete ${story.code}?`}
            consequence={`Its ${tasks.length} tasks and its log go with it. This cannot be taken back.`}
            confirmLabel="Delete it"
          >
            {(buttons) => (
              <Form method="post">
                <input type="hidden" name="intent" value="delete" />
                {buttons}
              </Form>
            )}
          </Confirm>
        </WriteFields>
      </div>
    </Section>
  );
}
