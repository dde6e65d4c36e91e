import { useEffect, useMemo, useState } from "react";
import { type PageKey, usePageKeys } from "~/components/page-keys";
import { focusAfterDrawing, rowAtHand, thingOf } from "~/components/things/at-hand";
import { selectedThings } from "~/components/things/selection";
import { runThingAction } from "~/components/things/thing-actions";
import { useWriteAccess } from "~/components/write-access";
import type { CardTask } from "./board-cards";
import { movableColumns } from "./columns";

interface Moving {
  id: string;
  code: string;
  target: string;
}

/**
 * Moving a card by keys is a mode of its own and says so: `m` on a card starts it, arrows choose the column,
 * Enter drops, Esc leaves everything as it was.
 */
export function useKeyboardMove(
  tasks: readonly CardTask[],
  move: (task: CardTask, status: string) => void,
  change: (things: readonly string[], fields: { status: string }) => void,
): Moving | null {
  const { canWrite } = useWriteAccess();
  const [moving, setMoving] = useState<Moving | null>(null);
  const keys = useMemo<PageKey[]>(
    () => [
      {
        keys: "m",
        label: "Move the focused card",
        run: () => {
          const selected = [...selectedThings()];
          if (selected.length > 0) return runThingAction("status", selected, rowAtHand());
          const task = focusedTask(tasks);
          if (!task || !canWrite) return;
          const target = task.status === "failed" ? "todo" : task.status;
          setMoving({ id: task.id, code: task.code, target });
        },
      },
      ...movableColumns.map(({ status, label }, index) => ({
        keys: String(index + 1),
        label: `Focused card to ${label}`,
        run: () => {
          const selected = [...selectedThings()];
          if (selected.length > 0 && canWrite) return change(selected, { status });
          const task = focusedTask(tasks);
          if (!task || !canWrite) return;
          move(task, status);
          refocus(task.id);
        },
      })),
    ],
    [tasks, canWrite, move, change],
  );
  usePageKeys("Board", keys);

  useEffect(() => {
    if (!moving) return;
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0 && event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      if (step !== 0) {
        setMoving({ ...moving, target: neighbour(moving.target, step) });
        return;
      }
      setMoving(null);
      const task = tasks.find((candidate) => candidate.id === moving.id);
      if (event.key !== "Enter" || !task) return;
      move(task, moving.target);
      refocus(task.id);
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [moving, tasks, move]);

  return moving;
}

function focusedTask(tasks: readonly CardTask[]): CardTask | undefined {
  const thing = thingOf(rowAtHand());
  return tasks.find((candidate) => `task:${candidate.id}` === thing);
}

function neighbour(status: string, step: number): string {
  const at = movableColumns.findIndex((column) => column.status === status);
  const next = Math.min(Math.max(at + step, 0), movableColumns.length - 1);
  return movableColumns[next]?.status ?? status;
}

/** The card is drawn anew in its column; focus follows it there. */
function refocus(taskId: string) {
  focusAfterDrawing(() => document.querySelector<HTMLElement>(`[data-task-id="${taskId}"]`));
}
