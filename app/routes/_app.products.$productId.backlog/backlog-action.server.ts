import { redirect } from "@remix-run/node";
import { editParameter } from "~/components/in-place/edit-parameter";
import { ContractError } from "~/contract/errors";
import { createPbiInput, movePbiInput, pbiIdInput, updatePbiInput } from "~/contract/pbi";
import {
  addStoryToSprintInput,
  createStoryInput,
  moveStoriesInput,
  storyIdInput,
  updateStoryInput,
} from "~/contract/story";
import { createTaskInput, taskIdInput } from "~/contract/task";
import type { Actor } from "~/db/rpc.server";
import { createPbi } from "~/domain/pbis/create-pbi.server";
import { deletePbi } from "~/domain/pbis/delete-pbi.server";
import { movePbi } from "~/domain/pbis/move-pbi.server";
import { updatePbi } from "~/domain/pbis/update-pbi.server";
import { addStoryToSprint } from "~/domain/stories/add-story-to-sprint.server";
import { createStory } from "~/domain/stories/create-story.server";
import { deleteStory } from "~/domain/stories/delete-story.server";
import { moveStories } from "~/domain/stories/move-stories.server";
import { removeStoryFromSprint } from "~/domain/stories/remove-story-from-sprint.server";
import { updateStory } from "~/domain/stories/update-story.server";
import { createTask } from "~/domain/tasks/create-task.server";
import { deleteTask } from "~/domain/tasks/delete-task.server";
import { doneForNow, readForm, runForm, runIntent, textOf } from "~/http/form-action.server";
import { moveTaskForm } from "~/http/task-forms.server";
import { viewIntents } from "~/http/view-forms.server";
import { editTaskForm } from "../_app.tasks.$taskId/edit-task-form.server";
import { createList, previewList } from "./paste-list.server";

const noText = { description: "", acceptance_criteria: "" } as const;

/** Everything that the backlog page changes, one small operation a form. */
export async function actOnBacklog(
  actor: Actor,
  productId: string,
  request: Request,
): Promise<Response> {
  const form = await request.formData();
  const here = new URL(request.url);
  here.searchParams.delete(editParameter);
  const back = `${here.pathname}${here.search}`;
  const closed = withPanel(here, null);
  return runIntent(form, {
    ...viewIntents(actor, form, { productId, page: "backlog", request }),
    "create-pbi": () => {
      form.set("product_id", productId);
      return runForm(form, createPbiInput, async (input) => {
        const pbi = await createPbi(actor, input);
        return redirect(withPanel(here, `pbi:${pbi.id}`), 303);
      });
    },
    "create-story": () =>
      runForm(form, createStoryInput, async (input) => {
        const story = await createStory(actor, input);
        return redirect(withPanel(here, `story:${story.id}`), 303);
      }),
    "create-task": () =>
      runForm(form, createTaskInput, async (input) => {
        const task = await createTask(actor, input);
        return redirect(withPanel(here, `task:${task.id}`), 303);
      }),
    "preview-list": async () => previewList(form),
    "create-list": () => createList(actor, form, here),
    "update-pbi": () =>
      runForm(
        form,
        updatePbiInput,
        async (input) => {
          await updatePbi(actor, input);
          return doneForNow(form, back, "Saved");
        },
        noText,
      ),
    "update-story": () =>
      runForm(
        form,
        updateStoryInput,
        async (input) => {
          await updateStory(actor, input);
          return doneForNow(form, back, "Saved");
        },
        noText,
      ),
    "move-pbi": async () => {
      await movePbi(actor, readForm(form, movePbiInput));
      return doneForNow(form, back, "Moved");
    },
    "block-pbi": async () => {
      const pbi = await updatePbi(actor, readForm(form, updatePbiInput));
      return doneForNow(
        form,
        back,
        pbi.status === "blocked" ? `${pbi.code} is blocked` : `${pbi.code} is open again`,
      );
    },
    "delete-pbi": async () => {
      await deletePbi(actor, readForm(form, pbiIdInput));
      return doneForNow(form, closed, "Deleted");
    },
    "story-to-pbi": async () => {
      const story = await updateStory(actor, readForm(form, updateStoryInput));
      return doneForNow(form, back, `${story.code} has moved`);
    },
    "story-to-sprint": async () => {
      const story = await addStoryToSprint(actor, readForm(form, addStoryToSprintInput));
      return doneForNow(form, back, `${story.code} is in the sprint`);
    },
    "story-out-of-sprint": async () => {
      const story = await removeStoryFromSprint(actor, readForm(form, storyIdInput));
      return doneForNow(form, back, `${story.code} left the sprint`);
    },
    "stories-to-sprint": async () => {
      const chosen = form.getAll("story_id");
      if (chosen.length === 0) throw new ContractError(422, "Choose the stories to move first.");
      const { moved } = await moveStories(
        actor,
        moveStoriesInput.parse({
          story_ids: chosen,
          sprint_id: textOf(form, "sprint_id") || null,
        }),
      );
      return doneForNow(
        form,
        back,
        moved === 1 ? "1 story has moved" : `${moved} stories have moved`,
      );
    },
    "delete-story": async () => {
      await deleteStory(actor, readForm(form, storyIdInput));
      return doneForNow(form, closed, "Deleted");
    },
    "set-task-status": () => moveTaskForm(actor, form, back),
    "edit-task": () => editTaskForm(actor, form, back),
    "delete-task": async () => {
      await deleteTask(actor, readForm(form, taskIdInput));
      return doneForNow(form, closed, "Deleted");
    },
  });
}

function withPanel(here: URL, panel: string | null): string {
  const params = new URLSearchParams(here.search);
  for (const name of ["panel", "pbi", "story", "into", "made"]) params.delete(name);
  if (panel) params.set("panel", panel);
  const query = params.toString();
  return query ? `${here.pathname}?${query}` : here.pathname;
}
