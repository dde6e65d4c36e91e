import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useLocalMutation } from "~/ui/use-local-mutation";
import type { CardTask } from "./board-settings";

/** A pointer that has been still for this long is not about to click. */
const restMs = 1000;

/**
 * Keeps the cards in place while a pointer moves or presses over the board, so that none jumps from under the pointer.
 * Content always updates, and the user's own changes show at once.
 */
export function useSteadyCards(
  tasks: readonly CardTask[],
  board: RefObject<HTMLElement>,
): readonly CardTask[] {
  const isOwn = useLocalMutation();
  const isAtHand = useRef(false);
  const kept = useRef(tasks);
  const latest = useRef(tasks);
  latest.current = tasks;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const element = board.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rest = () => {
      isAtHand.current = false;
      if (kept.current !== latest.current) draw();
    };
    const onHand = ({ buttons }: PointerEvent) => {
      isAtHand.current = true;
      clearTimeout(timer);
      // Releasing the button fires its own event, wherever the pointer is then.
      if (buttons === 0) timer = setTimeout(rest, restMs);
    };
    const onLetGo = (event: PointerEvent) => isAtHand.current && onHand(event);
    const watching = new AbortController();
    const { signal } = watching;
    element?.addEventListener("pointermove", onHand, { passive: true, signal });
    element?.addEventListener("pointerdown", onHand, { passive: true, signal });
    window.addEventListener("pointerup", onLetGo, { passive: true, signal });
    window.addEventListener("pointercancel", onLetGo, { passive: true, signal });
    return () => {
      clearTimeout(timer);
      watching.abort();
    };
  }, [board]);
  if (isOwn || !isAtHand.current) kept.current = tasks;
  if (kept.current === tasks) return tasks;
  const now = new Map(tasks.map((task) => [task.id, task]));
  return kept.current.flatMap(({ id, status, group }) => {
    const task = now.get(id);
    return task ? { ...task, status, group } : [];
  });
}
