import { json, redirect } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { removeDependencyForm } from "~/features/dependencies/dependencies.server";
import { createCardForm, moveTaskForm } from "~/features/items/task-forms.server";
import { applyCures, curesOfStart, keepCures, pressedCures, runWithLeftOut } from "~/features/runs/run-cures.server";
import { viewIntents } from "~/features/views/view-forms.server";
import { done, doneForNow, mergeEdit, readForm, runIntent, textOf } from "~/http/form-action.server";
import { resumeSprint, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { cancelSprint, completeSprint, getSprint, startSprint, updateSprint } from "~/nouns/sprints/operations.server";
import { addStoryToSprint, removeStoryFromSprint, startOver } from "~/nouns/stories/operations.server";
import { stopAtSchema } from "~/wire/budgets/contract";
import { startForm } from "~/wire/sprint-runs/contract";
import { updateSprintInput } from "~/wire/sprints/contract";
import { addStoryToSprintInput, storyIdInput } from "~/wire/stories/contract";

/** Handles all forms of the sprint page, one small operation each. */
export async function actOnSprint(
  actor: Actor,
  productId: string,
  sprintId: string,
  form: FormData,
  request: Request,
): Promise<Response> {
  const back = `/products/${productId}/sprints/${sprintId}`;
  const sprint = { sprint_id: sprintId };
  const toRun = (runId: string) => redirect(`/products/${productId}/runs/${runId}`, 303);
  return runIntent(form, {
    ...viewIntents(actor, form, { productId, page: "board", request }),
    "move-task": () => moveTaskForm(actor, form, back),
    "create-task": () => createCardForm(actor, form, back),
    "update-sprint": async () => {
      form.set("sprint_id", sprintId);
      const cleared = { sprint_goal: "", start_date: null, end_date: null } as const;
      const input = readForm(form, updateSprintInput, cleared);
      await mergeEdit((edit) => updateSprint(actor, edit), input);
      return done(form, back, "Saved");
    },
    "start-sprint": async () => {
      await startSprint(actor, sprint);
      return done(form, back, "Sprint started");
    },
    "complete-sprint": async () => {
      const carry_over = form.has("carry_over");
      await completeSprint(actor, { ...sprint, carry_over });
      return done(form, back, `Sprint completed${carry_over ? ": what was unfinished is in the next one" : ""}`);
    },
    "cancel-sprint": async () => {
      await cancelSprint(actor, sprint);
      return done(form, back, "Sprint cancelled");
    },
    "add-story": async () => {
      const story = await addStoryToSprint(actor, readForm(form, addStoryToSprintInput));
      return doneForNow(form, back, `${story.code} added to the sprint`);
    },
    "remove-dependency": () => removeDependencyForm(actor, form, back),
    "remove-story": async () => {
      const story = await removeStoryFromSprint(actor, readForm(form, storyIdInput));
      return doneForNow(form, back, `${story.code} removed from the sprint`);
    },
    "start-run": async () => {
      const pressed = pressedCures(form);
      await applyCures(actor, productId, pressed, () => storiesOf(actor, sprintId));
      const start = { ...sprint, stop_at: stopAtOf(form), ...readForm(form, startForm), ...curesOfStart(pressed) };
      try {
        const run = await startSprintRun(actor, start);
        return redirect(runWithLeftOut(productId, run.id, run.left_out), 303);
      } catch (error) {
        return json(keepCures(error, pressed), 409);
      }
    },
    "make-tasks": async () => {
      await applyCures(actor, productId, ["make_tasks"], () => storiesOf(actor, sprintId));
      return done(form, back, "Tasks created");
    },
    "start-over": async () => {
      await startOver(actor, { kind: "sprint", id: sprintId });
      return done(form, back, "The next run starts from main");
    },
    "resume-sprint": async () => {
      const run = await resumeSprint(actor, sprint);
      return run
        ? toRun(run.id)
        : done(form, back, "Nothing left to run. The sprint is active again and can be completed");
    },
  });
}

const storiesOf = async (actor: Actor, sprint_id: string): Promise<string[]> =>
  (await getSprint(actor, { sprint_id })).stories.map(({ id }) => id);

/** Without an amount, the run gets no budget. */
function stopAtOf(form: FormData): z.infer<typeof stopAtSchema> | undefined {
  if (textOf(form, "amount") === "") return undefined;
  return readForm(form, stopAtSchema);
}
