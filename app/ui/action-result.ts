import { useActionData, useFetcher, useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { Begin } from "./begin-waiting";
import { showToast, type WayBack } from "./toast";

/** What an action answers to a small form: done, or the sentence that says why not. */
export interface ActionResult {
  ok?: boolean;
  message?: string;
  error?: string;
  /** What was done can be taken back. */
  undo?: boolean;
  /** The form that takes it back, where the service does not remember it by itself. */
  back?: WayBack;
  /** It was refused because the task waits for others, and can be sent again, confirmed. */
  begin?: Begin;
}

/** Shows what an action answered: why not, or what was done and that it can be taken back. */
export function showResult({ error, message, undo, back, begin }: ActionResult): void {
  if (typeof error === "string") showToast(error, "failed", { begin });
  else if (message) showToast(message, "done", { undo: back ?? undo });
}

/** Answers that were told already; one with a key outlives its form. */
const told = new WeakSet<ActionResult>();

/** Tells an answer once, and at once: when the page has read its data again the form may be gone with its row. */
export function useResultToast(data: ActionResult | undefined, onDone?: () => void): void {
  useEffect(() => {
    if (!data || told.has(data)) return;
    told.add(data);
    showResult(data);
    if (data.ok) onDone?.();
  }, [data, onDone]);
}

/** Tells what is answered to the form of this key, wherever that is. */
export function useResultOf(key: string): void {
  useResultToast(useFetcher<ActionResult>({ key }).data);
}

/**
 * What the page's action answered, until the person goes on. Remix's own `useActionData` forgets it as soon as the page
 * reads its data again, and a live change does that at any moment: a token that is shown once, or what is wrong with a
 * form, must outlive it.
 */
export function useActionResult<Answer = unknown>() {
  const answer = useActionData<Answer>();
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer });
  const isNew = key !== kept.key || (answer !== undefined && answer !== kept.answer);
  if (isNew) setKept({ key, answer });
  return isNew ? answer : kept.answer;
}
