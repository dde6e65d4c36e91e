import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import type { ActionAnswer } from "~/components/action-form";
import { beginKey } from "~/components/begin-waiting";
import { tellAnswer } from "~/components/tell-answer";
import { undoKey } from "~/components/use-undo";

/** Says what the button of a message did: what an undo took back or why nothing was, what began. */
export function useMessageAnswers(): void {
  useAnswerOf(undoKey);
  useAnswerOf(beginKey);
}

function useAnswerOf(key: string): void {
  const { data } = useFetcher<ActionAnswer>({ key });
  useEffect(() => {
    if (data) tellAnswer(data);
  }, [data]);
}
