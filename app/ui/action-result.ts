import { useActionData, useFetcher, useLocation, useNavigate } from "@remix-run/react";
import { type RefObject, useEffect, useState } from "react";
import { router } from "~/live/router";
import { type Begin, showToast, type WayBack } from "./toast";

/** Answer of an action to a small form: done, or a sentence that says why not. */
export interface ActionResult {
  ok?: boolean;
  message?: string;
  error?: string;
  undo?: boolean;
  /** The form that undoes it, where the service does not remember the change. */
  back?: WayBack;
  leadsTo?: string;
  /** Set if a start was refused because the task is blocked. The person can confirm and send it again. */
  begin?: Begin;
}

/** Shows an action's answer as a toast: the error, or the message with Undo if possible. */
export function showResult({ error, message, undo, back, begin }: ActionResult): void {
  if (typeof error === "string") showToast(error, "failed", { begin });
  else if (message) showToast(message, "done", { undo: back ?? undo });
}

/** Answers already shown. A fetcher with a key keeps its answer after its form is gone. */
const shown = new WeakSet<ActionResult>();

export const wasShown = (answer: ActionResult): boolean => shown.has(answer);

export function showOnce(answer: ActionResult): void {
  if (shown.has(answer)) return;
  shown.add(answer);
  showResult(answer);
}

/** What forms sent that are gone: a row can leave, or the person the page, before React has drawn the answer. */
const left = new WeakSet<FormData>();
const answers = new WeakMap<FormData, ActionResult>();

/** A form that is gone while it sends leaves its answer to be shown here, so that what it did can still be undone. */
export function leaveAnswer(sent: FormData): void {
  left.add(sent);
  const answer = answers.get(sent);
  if (answer) showOnce(answer);
}

export function useAnswersOfGoneForms(): void {
  useEffect(
    () =>
      router().subscribe(({ fetchers }) => {
        for (const { formData, data } of fetchers.values()) {
          if (!formData || !data) continue;
          answers.set(formData, data);
          if (left.has(formData)) showOnce(data);
        }
      }),
    [],
  );
}

/** Shows an answer once and immediately: after revalidation the form and its row may be gone. Not where its place shows it. */
export function useResultToast(
  data: ActionResult | undefined,
  onDone?: () => void,
  element?: RefObject<HTMLElement>,
): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!data || shown.has(data) || element?.current?.checkVisibility()) return;
    showOnce(data);
    if (data.ok) onDone?.();
    if (data.leadsTo) navigate(data.leadsTo);
  }, [data, onDone, element, navigate]);
}

/** Shows the answer to the fetcher with this key, wherever its form is. */
export function useResultOf(key: string): void {
  useResultToast(useFetcher<ActionResult>({ key }).data);
}

/**
 * Trap: Remix's `useActionData` loses the answer at each revalidation, which a live change can cause at any time.
 * Tokens that are shown once and form errors must survive that.
 */
export function useActionResult<Answer = unknown>() {
  const answer = useActionData<Answer>();
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer });
  const isNew = key !== kept.key || (answer !== undefined && answer !== kept.answer);
  if (isNew) setKept({ key, answer });
  return isNew ? answer : kept.answer;
}

/** Returns the number of successful submissions. Used as a key: a new number resets the form. */
export function useSent({ state, data }: ReturnType<typeof useFetcher<ActionResult>>): number {
  const [sent, setSent] = useState(0);
  const isDone = state === "idle" && data?.ok === true;
  useEffect(() => {
    if (isDone) setSent((before) => before + 1);
  }, [isDone]);
  return sent;
}
