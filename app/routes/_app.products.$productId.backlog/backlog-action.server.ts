import { json, redirect } from "@remix-run/node";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { commentIntents } from "~/features/comments/comments.server";
import { editParameter } from "~/features/in-place/use-in-place";
import { viewIntents } from "~/features/views/view-forms.server";
import { doneForNow, mergeEdit, readForm, runForm, runIntent } from "~/http/form-action.server";
import { createPbi, deletePbi, movePbi, updatePbi } from "~/nouns/pbis/operations.server";
import { createFromList, createStory } from "~/nouns/stories/operations.server";
import { listLimits, readPastedList } from "~/nouns/stories/pasted-list";
import { createTask } from "~/nouns/tasks/operations.server";
import { againField } from "~/ui/form-fields";
import { createPbiInput, movePbiInput, pbiIdInput, updatePbiInput } from "~/wire/pbis/contract";
import { createStoryInput } from "~/wire/stories/contract";
import { createTaskInput } from "~/wire/tasks/contract";
import { idSchema, requiredText } from "~/wire/text";
import { intoNewPbi, panelParameters } from "./tree-address";

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
  form: FormData,
  request: Request,
): Promise<Response> {
  const here = new URL(request.url);
  here.searchParams.delete(editParameter);
  const back = `${here.pathname}${here.search}`;
  const page = { productId, here, back, closed: withPanel(here, null) };
  return runIntent(form, {
    ...viewIntents(actor, form, { productId, page: "backlog", request }),
    ...commentIntents(actor, form, back),
    ...pbiIntents(actor, form, page),
    ...storyIntents(actor, form, page),
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
        { description: "" },
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

function storyIntents(actor: Actor, form: FormData, { here }: Page) {
  return {
    "create-story": () =>
      runForm(form, createStoryInput, async (input) => {
        const story = await createStory(actor, input);
        return redirect(created(here, form, "story", story, { pbi: story.pbi_id }), 303);
      }),
    "create-task": () =>
      runForm(form, createTaskInput, async (input) => {
        const task = await createTask(actor, input);
        return redirect(created(here, form, "task", task, { story: input.story_id }), 303);
      }),
  };
}

/** Returns the address of the created item's panel, or of a form for another one in the same place. */
function created(
  here: URL,
  form: FormData,
  kind: "pbi" | "story" | "task",
  { id, code }: { id: string; code: string },
  position: Readonly<Record<string, string>> = {},
): string {
  if (!form.has(againField)) return withPanel(here, `${kind}:${id}`);
  return withPanel(here, `new-${kind}`, { ...position, made: code });
}

function withPanel(here: URL, panel: string | null, more: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams(here.search);
  for (const name of panelParameters) params.delete(name);
  if (panel) params.set("panel", panel);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const query = params.toString();
  return query ? `${here.pathname}?${query}` : here.pathname;
}

type Items = Parameters<typeof createFromList>[2];

const pastedInput = z.object({
  into: z.string().regex(/^(pbi|story):/, "Choose where to add the list."),
  list: requiredText(listLimits.characters),
  pbi_title: z.string().max(listLimits.title).optional(),
});

/** Previews a pasted list for pages without JavaScript; with it, the page previews itself. */
function previewList(form: FormData): Response {
  const { into, list } = readForm(form, pastedInput);
  return json({ pasted: { into, list } });
}

async function createList(actor: Actor, form: FormData, productId: string, here: URL): Promise<Response> {
  const { into, list, pbi_title } = readForm(form, pastedInput);
  const isStory = into.startsWith("story:");
  const { title, items } = readPastedList(list, isStory ? "story" : "pbi");
  const id = into === intoNewPbi ? null : idSchema.parse(into.slice(into.indexOf(":") + 1));
  const made = await (isStory && id !== null
    ? intoStory(actor, id, items)
    : intoPbi(actor, { id, title: pbi_title || title?.slice(0, listLimits.title), productId }, items));
  const params = new URLSearchParams(here.search);
  params.set("panel", "paste");
  params.set("into", made.into);
  params.set("made", `${made.stories.length}-${made.tasks.length}`);
  return redirect(`${here.pathname}?${params}`, 303);
}

async function intoStory(actor: Actor, story_id: string, items: Items) {
  return { into: `story:${story_id}`, ...(await createFromList(actor, { story_id }, items)) };
}

/** If the list is refused, also deletes the PBI created for it. */
async function intoPbi(
  actor: Actor,
  { id, title, productId }: { id: string | null; title: string | undefined; productId: string },
  items: Items,
) {
  // The form's key covers the list: a repeated request creates no items twice, and its extra PBI is deleted.
  const unkeyed = { ...actor, once: undefined };
  const pbi_id = id ?? (await createPbi(unkeyed, { product_id: productId, title: title || "New PBI" })).id;
  try {
    return { into: `pbi:${pbi_id}`, ...(await createFromList(actor, { pbi_id }, items)) };
  } catch (error) {
    if (id === null) await deletePbi(unkeyed, { pbi_id });
    throw error;
  }
}
