import { Form } from "@remix-run/react";
import { useHydrated } from "remix-utils/use-hydrated";
import { HiddenFields } from "~/ui/field";
import { enterMenu, MenuButton, MenuHeading, menuEvents } from "~/ui/menu";
import { Glyph } from "~/ui/sprite";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import { ColumnName } from "./board-column";
import { type CardTask, movableColumns } from "./board-settings";
import { moveIntent } from "./use-task-moves";

type MovedTask = Pick<CardTask, "id" | "code" | "status">;

type Move = (task: MovedTask, status: string) => void;

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

const menuId = "move-card";

/** For keyboard, touch and no JavaScript, which opens the menu in the card by a reload. All cards share one menu. */
export function MoveButton({ id, code }: { id: string; code: string }) {
  const { canWrite, reason } = useWriteAccess();
  const hydrated = useHydrated();
  const label = canWrite ? `Move ${code} to…` : (reason ?? "");
  const glyph = <Glyph name="move" />;
  if (canWrite && !hydrated) {
    return (
      <a href={`?move=${id}`} aria-label={label} className="card-move">
        {glyph}
      </a>
    );
  }
  return (
    <button
      type="button"
      popovertarget={menuId}
      data-move={id}
      aria-haspopup="true"
      aria-label={label}
      title={label}
      disabled={!canWrite}
      onKeyDown={enterMenu}
      className="card-move"
    >
      {glyph}
    </button>
  );
}

/** The menu shared by all cards: a native popover that opens next to the pressed button. */
export function MoveMenu({ task, onMove }: { task: MovedTask | undefined; onMove: Move }) {
  const label = `Move ${task?.code ?? "a task"} to`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div
      id={menuId}
      popover="auto"
      role="group"
      aria-label={label}
      data-align="end"
      className="popover"
      {...menuEvents}
    >
      {task ? <MoveForm task={task} onMove={onMove} /> : null}
    </div>
  );
}
