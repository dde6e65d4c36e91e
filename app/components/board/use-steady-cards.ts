import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useOwnChange } from "../use-own-change";
import type { CardTask } from "./board-cards";

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
  const isOwn = useOwnChange();
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
    const onHand = (event: Event) => {
      isAtHand.current = true;
      clearTimeout(timer);
      // A drag ends with an event of its own, wherever that is.
      if (event.type !== "dragstart") timer = setTimeout(rest, restMs);
    };
    const events = ["pointermove", "pointerdown", "pointerup", "dragstart", "dragend", "drop"];
    for (const name of events) element?.addEventListener(name, onHand, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const name of events) element?.removeEventListener(name, onHand);
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
