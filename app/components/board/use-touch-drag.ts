import { type RefObject, useEffect } from "react";
import type { TouchDrag } from "./touch-drag";

/** Dragging by finger, loaded where there are fingers. */
export function useTouchDrag(
  board: RefObject<HTMLElement>,
  canDrag: boolean,
  { onOver, onDrop }: TouchDrag,
): void {
  useEffect(() => {
    const element = board.current;
    if (!element || !canDrag || navigator.maxTouchPoints === 0) return;
    let end: (() => void) | undefined;
    let isGone = false;
    import("./touch-drag").then(
      ({ followTouches }) => {
        if (!isGone) end = followTouches(element, { onOver, onDrop });
      },
      () => {
        // Without network the menu of a card still moves it.
      },
    );
    return () => {
      isGone = true;
      end?.();
    };
  }, [board, canDrag, onOver, onDrop]);
}
