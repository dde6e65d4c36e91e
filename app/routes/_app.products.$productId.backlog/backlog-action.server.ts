import { redirect } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { editParameter } from "~/features/in-place/edit-parameter";
import { commentIntents } from "~/http/comment-forms.server";
import { doneForNow, readForm, runForm, runIntent, textOf } from "~/http/form-action.server";
import { mergeEdit } from "~/http/merge-edit.server";
import { moveTaskForm } from "~/http/task-forms.server";
import { validate } from "~/http/validation.server";
import { viewIntents } from "~/http/view-forms.server";
import { createPbiInput, movePbiInput, pbiIdInput, updatePbiInput } from "~/nouns/pbis/contract";
import { createPbi, deletePbi, movePbi, updatePbi } from "~/nouns/pbis/operations.server";
import {
  addStoryToSprintInput,
  createStoryInput,
  moveStoriesInput,
  storyIdInput,
  updateStoryInput,
} from "~/nouns/stories/contract";
import {
  addStoryToSprint,
  createStory,
  deleteStory,
  moveStories,
  removeStoryFromSprint,
  updateStory,
} from "~/nouns/stories/operations.server";
import { createTaskInput, taskIdInput } from "~/nouns/tasks/contract";
import { createTask, deleteTask } from "~/nouns/tasks/operations.server";
import { againField } from "~/ui/again-field";
import { editTaskForm } from "../_app.tasks.$taskId/edit-task-form.server";
import { createList, previewList } from "./paste-list.server";
import { panelParameters } from "./tree-address";

const noText = { description: "", acceptance_criteria: "" } as const;

/** The page that sent the form, and where to go afterwards. */
interface Page {
  productId: string;
  here: URL;
  back: string;
  /** The page without the panel, for when its item is deleted. */
  closed: string;
}

/** Handles all forms of the backlog page, one small operation each. */
export async function actOnBacklog(
  actor: Actor,
  productId: string,
  request: Request,
): Promise<Response> {
  const form = await request.formData();
  const here = new URL(request.url);
  here.searchParams.delete(editParameter);
  const back = `${here.pathname}${here.search}`;
  const page = { productId, here, back, closed: withPanel(here, null) };
  return runIntent(form, {
    ...viewIntents(actor, form, { productId, page: "backlog", request }),
    ...commentIntents(actor, form, back),
    ...pbiIntents(actor, form, page),
    ...storyIntents(actor, form, page),
    ...sprintIntents(actor, form, page),
    ...taskIntents(actor, form, page),
    "preview-list": async () => previewList(form),
    "create-list": () => createList(actor, form, productId, here),
  });
}

function pbiIntents(actor: Actor, form: FormData, { productId, here, back, closed }: Page) {
  return {
    "create-pbi": () => {
      form.set("product_id", productId);
      return runForm(form, createPbiInput, async (input) => {
        const pbi = await createPbi(actor, input);
        return redirect(created(here, form, "pbi", pbi), 303);
      });
    },
    "update-pbi": () =>
      runForm(
        form,
        updatePbiInput,
        async (input) => {
          await mergeEdit((edit) => updatePbi(actor, edit), input);
          return doneForNow(form, back, "Saved");
        },
        noText,
      ),
    "move-pbi": async () => {
      await movePbi(actor, readForm(form, movePbiInput));
      return doneForNow(form, back, "Moved");
    },
    "block-pbi": async () => {
      const { code, status } = await updatePbi(actor, readForm(form, updatePbiInput));
      const message = status === "blocked" ? `${code} is blocked` : `${code} reopened`;
      return doneForNow(form, back, message);
    },
    "delete-pbi": async () => {
      await deletePbi(actor, readForm(form, pbiIdInput));
      return doneForNow(form, closed, "Deleted");
    },
  };
}

function storyIntents(actor: Actor, form: FormData, { here, back, closed }: Page) {
  return {
    "create-story": () =>
      runForm(form, createStoryInput, async (input) => {
        const story = await createStory(actor, input);
        return redirect(created(here, form, "story", story, { pbi: story.pbi_id }), 303);
      }),
    "update-story": () =>
      runForm(
        form,
        updateStoryInput,
        async (input) => {
          await mergeEdit((edit) => updateStory(actor, edit), input);
          return doneForNow(form, back, "Saved");
        },
        noText,
      ),
    "story-to-pbi": async () => {
      const story = await updateStory(actor, readForm(form, updateStoryInput));
      return doneForNow(form, back, `${story.code} moved`);
    },
    "delete-story": async () => {
      await deleteStory(actor, readForm(form, storyIdInput));
      return doneForNow(form, closed, "Deleted");
    },
  };
}

/** Forms that add stories to a sprint and remove them. */
function sprintIntents(actor: Actor, form: FormData, { back }: Page) {
  return {
    "story-to-sprint": async () => {
      const story = await addStoryToSprint(actor, readForm(form, addStoryToSprintInput));
      return doneForNow(form, back, `${story.code} added to the sprint`);
    },
    "story-out-of-sprint": async () => {
      const story = await removeStoryFromSprint(actor, readForm(form, storyIdInput));
      return doneForNow(form, back, `${story.code} removed from the sprint`);
    },
    "stories-to-sprint": async () => {
      const story_ids = form.getAll("story_id");
      if (story_ids.length === 0) throw new ContractError(422, "Select the stories to move first.");
      const wish = { story_ids, sprint_id: textOf(form, "sprint_id") || null };
      const { moved } = await moveStories(actor, validate(moveStoriesInput, wish, "body"));
      const message = moved === 1 ? "1 story moved" : `${moved} stories moved`;
      return doneForNow(form, back, message);
    },
  };
}

function taskIntents(actor: Actor, form: FormData, { here, back, closed }: Page) {
  return {
    "create-task": () =>
      runForm(form, createTaskInput, async (input) => {
        const task = await createTask(actor, input);
        return redirect(created(here, form, "task", task, { story: input.story_id }), 303);
      }),
    "set-task-status": () => moveTaskForm(actor, form, back),
    "edit-task": () => editTaskForm(actor, form, back),
    "delete-task": async () => {
      await deleteTask(actor, readForm(form, taskIdInput));
      return doneForNow(form, closed, "Deleted");
    },
  };
}

/** Returns the address of the created item's panel, or of a form for another one in the same place. */
function created(
  here: URL,
  form: FormData,
  kind: "pbi" | "story" | "task",
  { id, code }: { id: string; code: string },
  place: Readonly<Record<string, string>> = {},
): string {
  if (!form.has(againField)) return withPanel(here, `${kind}:${id}`);
  return withPanel(here, `new-${kind}`, { ...place, made: code });
}

function withPanel(
  here: URL,
  panel: string | null,
  more: Readonly<Record<string, string>> = {},
): string {
  const params = new URLSearchParams(here.search);
  for (const name of panelParameters) params.delete(name);
  if (panel) params.set("panel", panel);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const query = params.toString();
  return query ? `${here.pathname}?${query}` : here.pathname;
}
