import { Form } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { CodeChip } from "~/components/badge";
import { movableColumns } from "~/components/board/columns";
import { Button, ButtonLink } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { Prose, type SafeHtml } from "~/components/prose";
import { SidePanel } from "~/components/side-panel";
import { StatusPill } from "~/components/status-pill";
import { WriteFields } from "~/components/write-access";
import type { TaskPageData } from "~/contract/page-data";

export function TaskPanel({
  page,
  plan,
  closeTo,
}: {
  page: TaskPageData;
  plan: SafeHtml | null;
  closeTo: string;
}) {
  const { task, story } = page;
  return (
    <SidePanel
      title={
        <>
          <CodeChip>{task.code}</CodeChip> {task.title}
        </>
      }
      closeTo={closeTo}
      footer={
        <WriteFields quiet>
          <Confirm
            trigger="Delete task"
            question={`Delete ${task.code}?`}
            consequence="Its jobs and history go with it. This cannot be taken back."
            confirmLabel="Delete it"
          >
            {(buttons) => (
              <Form method="post">
                <input type="hidden" name="intent" value="delete-task" />
                <input type="hidden" name="task_id" value={task.id} />
                {buttons}
              </Form>
            )}
          </Confirm>
        </WriteFields>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={task.status} />
        <ButtonLink to={`/tasks/${task.id}`} size="sm">
          Open and edit
        </ButtonLink>
        <span className="text-sm text-muted">
          in {story.code} {story.title}
        </span>
      </div>
      <WriteFields quiet>
        <ActionForm className="flex flex-wrap gap-2" aria-label={`Move ${task.code}`}>
          <input type="hidden" name="intent" value="set-task-status" />
          <input type="hidden" name="task_id" value={task.id} />
          {movableColumns.map(({ status, label }) => (
            <Button
              key={status}
              type="submit"
              size="sm"
              name="status"
              value={status}
              disabled={status === task.status}
            >
              {label}
            </Button>
          ))}
        </ActionForm>
      </WriteFields>
      {task.description ? <p className="text-sm whitespace-pre-wrap">{task.description}</p> : null}
      <section aria-label="Plan">
        <h3 className="mb-1 text-xs font-semibold text-muted">Implementation plan</h3>
        {plan ? (
          <Prose content={plan} />
        ) : (
          <p className="text-sm text-muted">No plan yet. A run needs one.</p>
        )}
      </section>
    </SidePanel>
  );
}
