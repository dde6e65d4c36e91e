import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";
import { followDrag } from "~/features/items/follow-drag";
import { showToast } from "~/ui/toast";
import { useWriteAccess } from "~/ui/write-access";
import type { CardTask, DropTarget, Lane } from "./board-settings";
import { useLaneKeys } from "./lane-keys";
import { type Place, placeAt, placing, useKeyboardMove } from "./use-keyboard-move";

interface BoardMovesProps {
  board: RefObject<HTMLElement>;
  tasks: readonly CardTask[];
  lanes: readonly Lane[] | undefined;
  /** Both callbacks must be stable. */
  move: (task: CardTask, status: string) => void;
  change: (items: readonly string[], fields: Readonly<Record<string, string>>) => void;
  onDropTarget: (dropTarget: DropTarget | null) => void;
}

/** Moves cards by mouse, touch and keyboard, across columns and lanes. All three share one rule for drops. */
export default function BoardMoves({ board, tasks, lanes, move, change, onDropTarget }: BoardMovesProps) {
  const { canWrite } = useWriteAccess();
  const latest = useRef({ tasks, lanes });
  latest.current = { tasks, lanes };

  const outcome = useCallback((items: readonly string[], place: Place) => {
    const known = latest.current;
    const cards = known.tasks.filter(({ id }) => items.includes(`task:${id}`));
    return { cards, ...placing(cards, place, known.tasks, known.lanes) };
  }, []);
  const drop = useCallback(
    (items: readonly string[], place: Place) => {
      const placed = outcome(items, place);
      const [card] = placed.cards;
      if (placed.refusal !== null) return showToast(`${placed.refusal}.`, "failed");
      const { status, ...others } = placed.fields;
      if (!card || (status === undefined && Object.keys(others).length === 0)) return;
      const isOne = placed.cards.length === 1;
      if (isOne && status && Object.keys(others).length === 0) return move(card, status);
      change(items, placed.fields);
    },
    [outcome, move, change],
  );

  // A layout effect, so that cards can be dragged as soon as they look draggable.
  useLayoutEffect(() => {
    const element = board.current;
    if (!element || !canWrite) return;
    return followDrag(element, {
      byTouch: true,
      over: (held) => {
        const place = placeAt(held?.target);
        const placed = held && place && outcome(held.items, place);
        onDropTarget(placed ? { ...place, says: placed.refusal ?? placed.says } : null);
      },
      drop: ({ items, target }) => {
        const place = placeAt(target);
        if (place) drop(items, place);
      },
    });
  }, [board, canWrite, outcome, drop, onDropTarget]);

  useLaneKeys(lanes !== undefined);
  return useKeyboardMove({ tasks, lanes, outcome, drop, move, change, onDropTarget });
}
