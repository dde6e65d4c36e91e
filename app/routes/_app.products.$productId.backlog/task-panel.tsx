import { ActionForm } from "~/components/action-form";
import { movableColumns } from "~/components/board/columns";
import { Button, ButtonLink } from "~/components/button";
import { DeleteThing } from "~/components/delete-thing";
import { TaskTexts } from "~/components/in-place/task-texts";
import { PanelTitle } from "~/components/in-place/thing-titles";
import type { SafeHtml } from "~/components/prose";
import { SidePanel } from "~/components/side-panel";
import { StatusPill } from "~/components/status-pill";
import { WriteFields } from "~/components/write-access";
import type { TaskPageData } from "~/contract/page-data";

export function TaskPanel({
  page,
  description,
  plan,
  closeTo,
}: {
  page: TaskPageData;
  description: SafeHtml | null;
  plan: SafeHtml | null;
  closeTo: string;
}) {
  const { task, story } = page;
  return (
    <SidePanel
      title={<PanelTitle thing={task} fields={{ intent: "edit-task", task_id: task.id }} />}
      closeTo={closeTo}
      footer={
        <WriteFields quiet>
          <DeleteThing
            noun="task"
            code={task.code}
            loss="Its jobs and history go with it."
            fields={{ intent: "delete-task", task_id: task.id }}
            goTo={closeTo}
            inPanel
          />
        </WriteFields>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={task.status} />
        <ButtonLink to={`/tasks/${task.id}`} size="sm">
          Open task
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
      <TaskTexts task={task} description={description} plan={plan} intent="edit-task" inPanel />
    </SidePanel>
  );
}
