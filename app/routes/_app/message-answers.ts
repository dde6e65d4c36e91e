import { beginKey } from "~/components/begin-waiting";
import { useAnswerOf } from "~/components/tell-answer";
import { undoKey } from "~/components/use-undo";

/** Says what the button of a message did: what an undo took back or why nothing was, what began. */
export function useMessageAnswers(): void {
  useAnswerOf(undoKey);
  useAnswerOf(beginKey);
}
