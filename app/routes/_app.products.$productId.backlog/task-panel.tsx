import type { TaskPageData } from "~/contract/page-data";
import { movableColumns } from "~/features/board/columns";
import { TaskTexts } from "~/features/in-place/task-texts";
import { PanelTitle } from "~/features/in-place/thing-titles";
import { DeleteThing } from "~/features/items/keys/delete-thing";
import type { SafeHtml } from "~/features/markdown/prose";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink } from "~/ui/button";
import { SidePanel } from "~/ui/rare/side-panel";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";

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
            loss="This also deletes its jobs and history."
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
