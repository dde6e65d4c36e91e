import { useHydrated } from "remix-utils/use-hydrated";
import { enterMenu, menuEvents } from "~/ui/menu";
import { Glyph } from "~/ui/sprite";
import { useWriteAccess } from "~/ui/write-access";
import { type Move, type MovedTask, MoveForm } from "./move-form";

const menuId = "move-card";

/**
 * Alternative to dragging: a button on every card, for keyboard, touch and pages without JavaScript. All cards share
 * one menu; without JavaScript the button reloads the page with the menu open in its card.
 */
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
