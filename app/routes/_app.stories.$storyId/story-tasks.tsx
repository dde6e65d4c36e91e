import { Link, useFetcher } from "@remix-run/react";
import { LineCounts } from "~/features/diff/line-counts";
import { usePointerSelection, useSelected } from "~/features/items/selection";
import type { ActionResult } from "~/ui/action-result";
import { CodeChip } from "~/ui/badge";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextAreaField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { StoryPageData } from "~/wire/pages/contract";

export function StoryTasks({ page }: { page: StoryPageData }) {
  const { tasks, story } = page;
  const hasChanges = tasks.some(({ changes }) => changes);
  const selected = useSelected();
  const select = usePointerSelection();
  const fetcher = useFetcher<ActionResult>({ key: "new-task" });
  const form = useServerForm<"title" | "description" | "implementation_plan">({ lastResult: fetcher.data });
  return (
    <Section
      title={`Tasks (${tasks.length})`}
      actions={
        hasChanges ? (
          <ButtonLink size="sm" to={`/stories/${story.id}/changes`}>
            Review changes
          </ButtonLink>
        ) : null
      }
      flush
    >
      <ul className="divide-y divide-line" onClickCapture={select}>
        {tasks.map((task) => (
          <li
            key={task.id}
            data-line={`task:${task.id}`}
            data-marked={selected.has(`task:${task.id}`) || undefined}
            className="flex items-center gap-2.5 px-4 py-2 text-sm hover:bg-sunken"
          >
            <span data-code data-toggle title="Select">
              <CodeChip>{task.code}</CodeChip>
            </span>
            <Link to={`/tasks/${task.id}`} data-row className="min-w-0 flex-1 hover:underline">
              {task.title}
            </Link>
            {task.changes ? (
              <Link
                to={`/jobs/${task.changes.job_id}/changes`}
                aria-label={`Changes of ${task.code}: ${task.changes.additions} lines added, ${task.changes.deletions} removed`}
                className="underline underline-offset-2"
              >
                <LineCounts additions={task.changes.additions} deletions={task.changes.deletions} />
              </Link>
            ) : null}
            <StatusPill status={task.status} />
          </li>
        ))}
      </ul>
      <details className="border-t border-line" open={tasks.length === 0}>
        <summary data-create className="px-4 py-2.5 text-sm font-medium hover:bg-sunken">
          New task
        </summary>
        <ServerForm form={form} fetcher={fetcher} creates className="grid gap-3 px-4 pb-4">
          <WriteFields className="grid gap-3">
            <input type="hidden" name="intent" value="create-task" />
            <TextField label="Title" required {...form.field("title")} />
            <TextAreaField label="Description" required={false} {...form.field("description")} />
            <TextAreaField
              label="Implementation plan"
              required={false}
              mono
              description="The steps for the agent, in Markdown. A run needs a plan for every task."
              {...form.field("implementation_plan")}
            />
            <SubmitButton className="justify-self-start" pending={fetcher.state !== "idle"} pendingLabel="Creating…">
              Create task
            </SubmitButton>
          </WriteFields>
        </ServerForm>
      </details>
    </Section>
  );
}
