import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import type { ActionAnswer } from "./action-form";
import { showToast } from "./toast";

/** Shows what an action answered: why not, or what was done and that it can be taken back. */
export function tellAnswer({ error, message, undo, begin }: ActionAnswer): void {
  if (typeof error === "string") showToast(error, "failed", { begin });
  else if (message) showToast(message, "done", { undo });
}

/** Answers that were told already; one with a key outlives its form. */
const told = new WeakSet<ActionAnswer>();

/** Tells an answer once, and at once: when the page has read its data again the form may be gone with its row. */
export function useToldAnswer(data: ActionAnswer | undefined, onDone?: () => void): void {
  useEffect(() => {
    if (!data || told.has(data)) return;
    told.add(data);
    tellAnswer(data);
    if (data.ok) onDone?.();
  }, [data, onDone]);
}

/** Tells what is answered to the form of this key, wherever that is. */
export function useAnswerOf(key: string): void {
  useToldAnswer(useFetcher<ActionAnswer>({ key }).data);
}
