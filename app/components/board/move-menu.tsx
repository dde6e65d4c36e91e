import { Form } from "@remix-run/react";
import { MoveRight } from "lucide-react";
import { buttonClass } from "~/components/button";
import { Menu, MenuButton, MenuHeading } from "~/components/menu";
import { statusLook } from "~/components/status";
import { StatusIcon } from "~/components/status-icon";
import { useWriteAccess, WriteFields } from "~/components/write-access";
import type { BoardTask } from "~/contract/page-data";
import { movableColumns } from "./columns";
import { moveIntent } from "./use-task-moves";

/** The equal way to dragging: a menu on every card, for keyboard, thumb and pages without script. */
export function MoveMenu({
  task,
  onMove,
}: {
  task: BoardTask;
  onMove: (task: BoardTask, status: string) => void;
}) {
  const { canWrite, reason } = useWriteAccess();
  return (
    <Menu
      id={`move-${task.id}`}
      label={canWrite ? `Move ${task.code} to…` : (reason ?? "")}
      align="end"
      disabled={!canWrite}
      triggerClassName={buttonClass("quiet", "icon-sm", "-my-1 -mr-1")}
      trigger={<MoveRight className="size-3.5" aria-hidden="true" />}
    >
      <MenuHeading>Move {task.code} to</MenuHeading>
      <Form
        method="post"
        onSubmit={(event) => {
          const { submitter } = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent : {};
          if (!(submitter instanceof HTMLButtonElement)) return;
          event.preventDefault();
          onMove(task, submitter.value);
        }}
      >
        <WriteFields quiet>
          <input type="hidden" name="intent" value={moveIntent} />
          <input type="hidden" name="task_id" value={task.id} />
          {movableColumns.map(({ status, label }) => (
            <MenuButton key={status} name="status" value={status} disabled={status === task.status}>
              <StatusIcon tone={statusLook(status).tone} />
              {label}
            </MenuButton>
          ))}
        </WriteFields>
      </Form>
    </Menu>
  );
}
