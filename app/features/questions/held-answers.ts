import { useSubmit } from "@remix-run/react";
import { type FormEvent, useCallback } from "react";
import { enhancedField } from "~/ui/form-fields";
import { keepDraft } from "~/ui/forms/drafts";
import { storeOf } from "~/ui/store";
import { offerUndo } from "~/ui/toast";

/** How long the page holds an answer: once sent, it wakes the worker and cannot be undone. */
export const holdMs = 5000;

interface Held {
  text: string;
  action: string;
  form: FormData;
  send: () => void;
  /** Null once it is being sent. */
  timer: number | null;
}

/** Answers by question id. They outlive their cards: leaving the page does not discard an answer. */
const held = storeOf<ReadonlyMap<string, Held>>(new Map());

export const useHeldAnswers = held.use;

/** Returns a submit handler that holds the form's answer, then sends it. */
export function useHoldAnswer(questionId: string, action: string) {
  const submit = useSubmit();
  return useCallback(
    (event: FormEvent<HTMLFormElement>, textOf: (form: FormData) => string) => {
      event.preventDefault();
      const { submitter } = event.nativeEvent instanceof SubmitEvent ? event.nativeEvent : {};
      const form = new FormData(event.currentTarget, submitter);
      form.set(enhancedField, "1");
      const send = () => {
        const answer = held.get().get(questionId);
        if (!answer || answer.timer === null) return;
        clearTimeout(answer.timer);
        held.set(new Map(held.get()).set(questionId, { ...answer, timer: null }));
        const fetcherKey = keyOfAnswer(questionId);
        submit(form, { method: "post", action, navigate: false, fetcherKey });
      };
      const timer = window.setTimeout(send, holdMs);
      held.set(new Map(held.get()).set(questionId, { text: textOf(form), action, form, send, timer }));
      addEventListener("pagehide", sendAll);
      offerUndo(() => takeBack(questionId), holdMs);
    },
    [submit, questionId, action],
  );
}

export const keyOfAnswer = (questionId: string) => `answer ${questionId}`;

/** Takes a held answer back; its words are a draft again. Does nothing once it is being sent. */
export function takeBack(questionId: string) {
  const { timer = null, form } = held.get().get(questionId) ?? {};
  if (timer === null) return;
  clearTimeout(timer);
  const answer = form?.get("answer");
  if (typeof answer === "string") keepDraft(keyOfAnswer(questionId), { answer });
  forgetAnswer(questionId);
}

/** Removes an answer, as its result is known or it was undone. */
export function forgetAnswer(questionId: string) {
  held.set(new Map([...held.get()].filter(([id]) => id !== questionId)));
}

function sendAll() {
  for (const [id, { action, form, timer }] of held.get()) {
    if (timer === null) continue;
    clearTimeout(timer);
    forgetAnswer(id);
    navigator.sendBeacon(action, form);
  }
}
