import { useSubmit } from "@remix-run/react";
import { type FormEvent, useCallback, useSyncExternalStore } from "react";
import { enhancedField } from "~/ui/enhanced-field";
import { offerOwnUndo } from "~/ui/toast";

/** An answer wakes the worker and cannot be called back from there, so the page holds it for as long as this. */
export const holdMs = 5000;

interface Held {
  /** What was chosen or written, as the card shows it. */
  words: string;
  action: string;
  form: FormData;
  send: () => void;
  /** Null once it is on its way. */
  timer: number | null;
}

/** By question. They outlive their cards: whoever goes to another page has answered. */
let held: ReadonlyMap<string, Held> = new Map();
const listeners = new Set<() => void>();

function change(next: ReadonlyMap<string, Held>) {
  held = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const none: typeof held = new Map();

/** All answers that are held or on their way. */
export function useHeldAnswers(): typeof held {
  return useSyncExternalStore(
    subscribe,
    () => held,
    () => none,
  );
}

/** Holds what a form of this question would send. */
export function useHoldAnswer(questionId: string, action: string) {
  const submit = useSubmit();
  return useCallback(
    (event: FormEvent<HTMLFormElement>, wordsOf: (form: FormData) => string) => {
      event.preventDefault();
      const { submitter } = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent : {};
      const form = new FormData(event.currentTarget, submitter);
      form.set(enhancedField, "1");
      const send = () => {
        const answer = held.get(questionId);
        if (!answer || answer.timer === null) return;
        clearTimeout(answer.timer);
        change(new Map(held).set(questionId, { ...answer, timer: null }));
        const fetcherKey = keyOfAnswer(questionId);
        submit(form, { method: "post", action, navigate: false, fetcherKey });
      };
      const timer = window.setTimeout(send, holdMs);
      change(new Map(held).set(questionId, { words: wordsOf(form), action, form, send, timer }));
      addEventListener("pagehide", sendAll);
      offerOwnUndo(() => takeBack(questionId), holdMs);
    },
    [submit, questionId, action],
  );
}

export const keyOfAnswer = (questionId: string) => `answer ${questionId}`;

/** Nothing is sent. */
export function takeBack(questionId: string) {
  const timer = held.get(questionId)?.timer;
  if (timer === undefined || timer === null) return;
  clearTimeout(timer);
  forgetAnswer(questionId);
}

/** What became of it is known. */
export function forgetAnswer(questionId: string) {
  change(new Map([...held].filter(([id]) => id !== questionId)));
}

/** The page goes while answers are held: the browser sends them after it. */
function sendAll() {
  for (const [id, { action, form, timer }] of held) {
    if (timer === null) continue;
    takeBack(id);
    navigator.sendBeacon(action, form);
  }
}
