import { json, redirect } from "@remix-run/node";
import { z } from "zod";
import { idSchema, requiredText } from "~/contract/text";
import type { Actor } from "~/db/rpc.server";
import { readForm } from "~/http/form-action.server";
import { createPbi, deletePbi } from "~/nouns/pbis/operations.server";
import { createFromList } from "~/nouns/stories/create-from-list.server";
import { listLimits, readPastedList } from "~/nouns/stories/pasted-list";
import { intoNewPbi } from "./tree-address";

type Items = Parameters<typeof createFromList>[2];

const pastedInput = z.object({
  into: z.string().regex(/^(pbi|story):/, "Choose where to add the list."),
  list: requiredText(listLimits.characters),
  pbi_title: z.string().max(listLimits.title).optional(),
});

/** Previews a pasted list for pages without JavaScript; with it, the page previews itself. */
export function previewList(form: FormData): Response {
  const { into, list } = readForm(form, pastedInput);
  return json({ pasted: { into, list } });
}

/** Creates the items, and returns to the page with their count. */
export async function createList(
  actor: Actor,
  form: FormData,
  productId: string,
  here: URL,
): Promise<Response> {
  const { into, list, pbi_title } = readForm(form, pastedInput);
  const isStory = into.startsWith("story:");
  const { items } = readPastedList(list, isStory ? "story" : "pbi");
  const id = into === intoNewPbi ? null : idSchema.parse(into.slice(into.indexOf(":") + 1));
  const made = await (isStory && id !== null
    ? intoStory(actor, id, items)
    : intoPbi(actor, { id, title: pbi_title, productId }, items));
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
  const pbi_id =
    id ?? (await createPbi(unkeyed, { product_id: productId, title: title || "New PBI" })).id;
  try {
    return { into: `pbi:${pbi_id}`, ...(await createFromList(actor, { pbi_id }, items)) };
  } catch (error) {
    if (id === null) await deletePbi(unkeyed, { pbi_id });
    throw error;
  }
}
