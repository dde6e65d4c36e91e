import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";
import { showToast } from "~/ui/toast";
import { useWriteAccess } from "~/ui/write-access";
import type { Aim } from "../board";
import type { CardTask, Lane } from "../board-look";
import { useLaneKeys } from "./lane-keys";
import { followMouse } from "./mouse-drag";
import { type Place, placing } from "./placing";
import { followTouches } from "./touch-drag";
import { useKeyboardMove } from "./use-keyboard-move";

interface BoardHandsProps {
  board: RefObject<HTMLElement>;
  tasks: readonly CardTask[];
  lanes: readonly Lane[] | undefined;
  /** Both must be stable. */
  move: (task: CardTask, status: string) => void;
  change: (things: readonly string[], fields: Readonly<Record<string, string>>) => void;
  onAim: (aim: Aim | null) => void;
}

/** What pointers and fingers tell a board. */
export interface Hands {
  /** Whether what is held can go there; null: it is over nothing. */
  over: (things: readonly string[], place: Place | null) => boolean;
  drop: (things: readonly string[], place: Place) => void;
}

/** Moving cards by mouse, finger and keys, over columns and lanes: one rule for all of them what a place means. */
export default function BoardHands({ board, tasks, lanes, move, change, onAim }: BoardHandsProps) {
  const { canWrite } = useWriteAccess();
  const latest = useRef({ tasks, lanes });
  latest.current = { tasks, lanes };

  const outcome = useCallback((things: readonly string[], place: Place) => {
    const known = latest.current;
    const cards = known.tasks.filter(({ id }) => things.includes(`task:${id}`));
    return { cards, ...placing(cards, place, known.tasks, known.lanes) };
  }, []);
  const drop = useCallback(
    (things: readonly string[], place: Place) => {
      const placed = outcome(things, place);
      const [card] = placed.cards;
      if (placed.refusal !== null) return showToast(`${placed.refusal}.`, "failed");
      const { status, ...others } = placed.fields;
      if (!card || (status === undefined && Object.keys(others).length === 0)) return;
      const isOne = placed.cards.length === 1;
      if (isOne && status && Object.keys(others).length === 0) return move(card, status);
      change(things, placed.fields);
    },
    [outcome, move, change],
  );
  const over = useCallback<Hands["over"]>(
    (things, place) => {
      if (!place) {
        onAim(null);
        return false;
      }
      const placed = outcome(things, place);
      const isRefused = placed.refusal !== null;
      onAim({ ...place, says: isRefused ? placed.refusal : placed.says });
      return !isRefused;
    },
    [outcome, onAim],
  );

  // With what is drawn, not after it: whoever sees that cards can be moved may move one.
  useLayoutEffect(() => {
    const element = board.current;
    if (!element || !canWrite) return;
    const endMouse = followMouse(element, { over, drop });
    const endTouch = navigator.maxTouchPoints > 0 ? followTouches(element, { over, drop }) : null;
    return () => {
      endMouse();
      endTouch?.();
    };
  }, [board, canWrite, over, drop]);

  useLaneKeys(lanes !== undefined);
  return useKeyboardMove({ tasks, lanes, outcome, drop, move, change, onAim });
}
