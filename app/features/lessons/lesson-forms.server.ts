import type { Actor } from "~/db/rpc.server";
import { done, readForm, textOf } from "~/http/form-action.server";
import { decideLesson } from "~/nouns/lessons/operations.server";
import { decideLessonInput } from "~/wire/lessons/contract";

const results = { accept: "Accepted: agents read it from now on", decline: "Declined", retire: "Retired" };

/** Handles the forms of a lesson. The text field is there for every button, and counts for one. */
export function lessonIntents(actor: Actor, form: FormData, back: string) {
  return {
    "decide-lesson": async () => {
      if (textOf(form, "verdict") !== "accept") form.delete("text");
      const input = readForm(form, decideLessonInput);
      await decideLesson(actor, input);
      return done(form, back, results[input.verdict]);
    },
  };
}
