import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import type { ActionAnswer } from "~/components/action-form";
import { tellAnswer } from "~/components/tell-answer";
import { undoKey } from "~/components/use-undo";

/** Says what an undo took back, or why nothing was. */
export function useUndoAnswers(): void {
  const { data } = useFetcher<ActionAnswer>({ key: undoKey });
  useEffect(() => {
    if (data) tellAnswer(data);
  }, [data]);
}
