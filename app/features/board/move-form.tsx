import { Form } from "@remix-run/react";
import { HiddenFields } from "~/ui/field";
import { MenuButton, MenuHeading } from "~/ui/menu";
import { WriteFields } from "~/ui/write-access";
import { ColumnName } from "./board-column";
import type { CardTask } from "./board-settings";
import { movableColumns } from "./columns";
import { moveIntent } from "./use-task-moves";

export type MovedTask = Pick<CardTask, "id" | "code" | "status">;

export type Move = (task: MovedTask, status: string) => void;

export function MoveForm({ task, onMove }: { task: MovedTask; onMove: Move }) {
  return (
    <>
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
          <HiddenFields fields={{ intent: moveIntent, task_id: task.id }} />
          {movableColumns.map(({ status, label }) => (
            <MenuButton key={status} name="status" value={status} disabled={status === task.status}>
              <ColumnName status={status} label={label} />
            </MenuButton>
          ))}
        </WriteFields>
      </Form>
    </>
  );
}
