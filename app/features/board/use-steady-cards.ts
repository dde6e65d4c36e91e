import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useLocalMutation } from "~/ui/use-local-mutation";
import type { CardTask } from "./board-settings";

/** A pointer that has not moved for so long is about to press nothing. */
const restMs = 1000;

/**
 * The cards where they were, as long as a pointer moves over the board or presses: none jumps away from under a hand, or
 * under it. What a card says is always new, and what its user does shows at once.
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
      // What is pressed is let go with an event of its own, wherever that is.
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
