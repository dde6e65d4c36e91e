import type { Actor } from "~/db/rpc.server";
import { done, readForm } from "~/http/form-action.server";
import { answerQuestionInput, questionIdInput } from "~/nouns/questions/contract";
import { answerQuestion, cancelQuestion } from "~/nouns/questions/operations.server";

/** Handles the buttons of a question, on every page that shows questions. */
export function questionIntents(actor: Actor, form: FormData, back: string) {
  return {
    answer: async () => {
      await answerQuestion(actor, readForm(form, answerQuestionInput));
      return done(form, back, "Answered");
    },
    cancel: async () => {
      await cancelQuestion(actor, readForm(form, questionIdInput));
      return done(form, back, "Dismissed");
    },
  };
}
