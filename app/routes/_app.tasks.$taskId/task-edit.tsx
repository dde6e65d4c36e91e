import { Form, useFetcher } from "@remix-run/react";
import { type ActionAnswer, ActionForm } from "~/components/action-form";
import { Button, SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { Confirm } from "~/components/confirm";
import { CheckField, SelectField, TextAreaField, TextField } from "~/components/field";
import { priorityOptions } from "~/components/priority";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { TaskPageData } from "~/contract/page-data";

const verifyOptions = [
  { value: "ALIGNED", label: "Only when it follows the plan" },
  { value: "ALIGNED_OR_PARTIAL", label: "Also when it follows the plan in part" },
  { value: "ANY", label: "Always" },
];

type TaskField =
  | "title"
  | "description"
  | "implementation_plan"
  | "priority"
  | "code"
  | "repo_url"
  | "verify_required"
  | "estimated_minutes";

export function TaskEdit({ page }: { page: TaskPageData }) {
  const { task, stories, story, product } = page;
  const fetcher = useFetcher<ActionAnswer>({ key: `edit-${task.id}` });
  const form = useServerForm<TaskField>({
    lastResult: fetcher.data,
    defaultValue: {
      title: task.title,
      description: task.description,
      implementation_plan: task.implementation_plan,
      priority: String(task.priority),
      code: task.code,
      repo_url: task.repo_url,
      verify_required: task.verify_required,
      estimated_minutes: task.estimated_minutes?.toString(),
    },
  });
  return (
    <Section title="Edit">
      <ServerForm form={form} fetcher={fetcher}>
        <WriteFields className="grid gap-3">
          <input type="hidden" name="intent" value="edit" />
          <TextField label="Title" required {...form.field("title")} />
          <TextAreaField label="Description" required={false} {...form.field("description")} />
          <TextAreaField
            label="Implementation plan"
            required={false}
            mono
            rows={8}
            {...form.field("implementation_plan")}
          />
          <SelectField
            label="When a job is done"
            description="What its check against the plan must say for the task to be done."
            options={verifyOptions}
            {...form.field("verify_required")}
          />
          <CheckField
            name="verify_only"
            label="Only verify"
            description="The work is there already; the job checks it and changes nothing."
            defaultChecked={task.verify_only}
          />
          <CheckField
            name="requires_opus"
            label="Needs the strongest model"
            defaultChecked={task.requires_opus}
          />
          <TextField
            label="Repository"
            required={false}
            type="url"
            description="Only when it differs from the product's."
            placeholder={product.repo_url}
            {...form.field("repo_url")}
          />
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="Priority"
              options={priorityOptions(task.priority)}
              {...form.field("priority")}
            />
            <TextField label="Minutes" type="number" min={0} {...form.field("estimated_minutes")} />
          </div>
          <TextField label="Code" mono {...form.field("code")} />
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
            Save
          </SubmitButton>
        </WriteFields>
      </ServerForm>
      <WriteFields quiet className="mt-3 grid gap-3 border-t border-line pt-3">
        <ActionForm className="flex items-end gap-2">
          <input type="hidden" name="intent" value="move" />
          <div className="min-w-0 flex-1">
            <SelectField
              key={story.id}
              name="story_id"
              label="Story"
              defaultValue={story.id}
              options={stories.map(({ id, code, title }) => ({
                value: id,
                label: `${code} ${title}`,
              }))}
            />
          </div>
          <Button type="submit">Move</Button>
        </ActionForm>
        <div>
          <Confirm
            trigger="Delete task"
            size="sm"
            question={`Delete ${task.code}?`}
            consequence="Its jobs and history go with it. This cannot be taken back."
            confirmLabel="Delete it"
          >
            {(buttons) => (
              <Form method="post">
                <input type="hidden" name="intent" value="delete" />
                {buttons}
              </Form>
            )}
          </Confirm>
        </div>
      </WriteFields>
    </Section>
  );
}
