import { beginKey } from "~/ui/begin-waiting";
import { useAnswerOf } from "~/ui/tell-answer";
import { undoKey } from "~/ui/use-undo";

/** Says what the button of a message did: what an undo took back or why nothing was, what began. */
export function useMessageAnswers(): void {
  useAnswerOf(undoKey);
  useAnswerOf(beginKey);
}
