import { redirect } from "@remix-run/node";
import type { Actor } from "~/db/rpc.server";
import { commentIntents } from "~/features/comments/comments.server";
import { dependencyIntents } from "~/features/dependencies/dependencies.server";
import { fileIntents } from "~/http/files.server";
import {
  done,
  doneForNow,
  mergeEdit,
  readForm,
  runForm,
  runIntent,
  runOperation,
  textOf,
} from "~/http/form-action.server";
import { addEvidence, waiveCriterion } from "~/nouns/proof/operations.server";
import { deleteRecurrence, setRecurrence } from "~/nouns/recurrences/recurrences.server";
import * as stories from "~/nouns/stories/operations.server";
import { createTask } from "~/nouns/tasks/operations.server";
import { judgeCriterionInput } from "~/wire/proof/contract";
import { setRecurrenceInput } from "~/wire/recurrences/contract";
import { addStoryToSprintInput, assignStoryInput, storyLogBody, updateStoryInput } from "~/wire/stories/contract";
import { createTaskInput } from "~/wire/tasks/contract";

/** Handles all forms of the story page. */
export async function actOnStory(actor: Actor, storyId: string, form: FormData): Promise<Response> {
  const back = `/stories/${storyId}`;
  form.set("story_id", storyId);
  return runIntent(form, {
    update: () =>
      runForm(
        form,
        updateStoryInput,
        async (input) => {
          await mergeEdit((edit) => stories.updateStory(actor, edit), input);
          return doneForNow(form, back, "Saved");
        },
        { description: "", acceptance_criteria: "", agent: null, model: null, effort: null },
      ),
    "set-labels": async () => {
      await stories.updateStory(actor, { story_id: storyId, labels: form.getAll("label").map(String) });
      return doneForNow(form, back, "Saved");
    },
    assign: async () => {
      await stories.assignStory(actor, readForm(form, assignStoryInput, { assignee_id: null }));
      return doneForNow(form, back, "Saved");
    },
    "set-sprint": async () => {
      if (textOf(form, "sprint_id") === "") await stories.removeStoryFromSprint(actor, { story_id: storyId });
      else await stories.addStoryToSprint(actor, readForm(form, addStoryToSprintInput));
      return doneForNow(form, back, "Saved");
    },
    "create-task": () =>
      runForm(form, createTaskInput, async (input) => {
        const task = await createTask(actor, input);
        return redirect(`/tasks/${task.id}`, 303);
      }),
    saw: async () => {
      await addEvidence.json(actor, readForm(form, judgeCriterionInput));
      return done(form, `${back}#proof`, "Saved");
    },
    waive: () => runOperation(actor, form, waiveCriterion, `${back}#proof`, "Waived"),
    "add-log": () =>
      runForm(onlyOfItsKind(form), storyLogBody, async (entry) => {
        await stories.appendStoryLog(actor, { ...entry, story_id: storyId });
        return done(form, back, "Saved");
      }),
    ...commentIntents(actor, form, back),
    ...fileIntents(actor, form, back),
    ...dependencyIntents(actor, form, { kind: "story", id: storyId, back }),
    "start-over": async () => {
      await stories.startOver(actor, { kind: "story", id: storyId });
      return done(form, back, "The next run starts from main");
    },
    "set-recurrence": () =>
      runForm(form, setRecurrenceInput, async (input) => {
        await setRecurrence(actor, input);
        return done(form, `${back}#recurring`, "Schedule saved");
      }),
    "stop-recurring": async () => {
      await deleteRecurrence(actor, { story_id: storyId });
      return done(form, back, "It no longer repeats");
    },
    delete: async () => {
      const { product_id } = await stories.getStory(actor, { story_id: storyId });
      await stories.deleteStory(actor, { story_id: storyId });
      return doneForNow(form, `/products/${product_id}/backlog`, "Deleted");
    },
  });
}

/** Removes fields of other entry types: without JavaScript, the form sends them all. */
function onlyOfItsKind(form: FormData): FormData {
  const kind = textOf(form, "type");
  if (kind !== "TEST_RESULT") form.delete("status");
  if (kind !== "COMMIT") for (const name of ["commit_hash", "commit_message"]) form.delete(name);
  form.delete("story_id");
  return form;
}
