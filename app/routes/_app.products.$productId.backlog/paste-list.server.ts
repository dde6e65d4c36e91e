import { json, redirect } from "@remix-run/node";
import { z } from "zod";
import { listLimits, readPastedList } from "~/contract/pasted-list";
import { idSchema, requiredText } from "~/contract/text";
import type { Actor } from "~/db/rpc.server";
import { createFromList } from "~/domain/stories/create-from-list.server";
import { readForm } from "~/http/form-action.server";

const pastedInput = z.object({
  into: z.string().regex(/^(pbi|story):/, "Choose where the list goes."),
  list: requiredText(listLimits.characters),
});

/** Without script the first step shows what a list would make; with script that is on the page already. */
export function previewList(form: FormData): Response {
  const { into, list } = readForm(form, pastedInput);
  return json({ pasted: { into, list } });
}

/** Makes it, and comes back with how much it was. */
export async function createList(actor: Actor, form: FormData, here: URL): Promise<Response> {
  const { into, list } = readForm(form, pastedInput);
  const id = idSchema.parse(into.slice(into.indexOf(":") + 1));
  const kind = into.startsWith("pbi:") ? "pbi" : "story";
  const { items } = readPastedList(list, kind);
  const made = await createFromList(
    actor,
    kind === "pbi" ? { pbi_id: id } : { story_id: id },
    items,
  );
  const params = new URLSearchParams(here.search);
  params.set("panel", "paste");
  params.set("into", into);
  params.set("made", `${made.stories.length}-${made.tasks.length}`);
  return redirect(`${here.pathname}?${params}`, 303);
}
