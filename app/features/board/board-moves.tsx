import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";
import { followDrag } from "~/features/items/follow-drag";
import { showToast } from "~/ui/toast";
import { useWriteAccess } from "~/ui/write-access";
import type { CardTask, DropTarget, Lane } from "./board-settings";
import { useLaneKeys } from "./lane-keys";
import { type BoardPosition, placing, positionAt, useKeyboardMove } from "./use-keyboard-move";

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

  const outcome = useCallback((items: readonly string[], position: BoardPosition) => {
    const known = latest.current;
    const cards = known.tasks.filter(({ id }) => items.includes(`task:${id}`));
    return { cards, ...placing(cards, position, known.tasks, known.lanes) };
  }, []);
  const drop = useCallback(
    (items: readonly string[], position: BoardPosition) => {
      const outcomeHere = outcome(items, position);
      const [card] = outcomeHere.cards;
      if (outcomeHere.refusal !== null) return showToast(`${outcomeHere.refusal}.`, "failed");
      const { status, ...others } = outcomeHere.fields;
      if (!card || (status === undefined && Object.keys(others).length === 0)) return;
      const isOne = outcomeHere.cards.length === 1;
      if (isOne && status && Object.keys(others).length === 0) return move(card, status);
      change(items, outcomeHere.fields);
    },
    [outcome, move, change],
  );

  // A layout effect, so that cards can be dragged as soon as they look draggable.
  useLayoutEffect(() => {
    const element = board.current;
    if (!element || !canWrite) return;
    return followDrag(element, {
      byTouch: true,
      over: (dragged) => {
        const position = positionAt(dragged?.target);
        const outcomeHere = dragged && position && outcome(dragged.items, position);
        onDropTarget(outcomeHere ? { ...position, says: outcomeHere.refusal ?? outcomeHere.says } : null);
      },
      drop: ({ items, target }) => {
        const position = positionAt(target);
        if (position) drop(items, position);
      },
    });
  }, [board, canWrite, outcome, drop, onDropTarget]);

  useLaneKeys(lanes !== undefined);
  return useKeyboardMove({ tasks, lanes, outcome, drop, move, change, onDropTarget });
}
