import { redirect } from "@remix-run/node";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { readForm } from "~/http/form-action.server";
import { createSavedView, deleteSavedView, updateSavedView } from "~/nouns/saved-views/operations.server";
import { lookOf, savedViewIdInput, type ViewPage, viewNameSchema } from "~/wire/saved-views/contract";

const named = savedViewIdInput.extend({ name: viewNameSchema, shared: z.boolean().optional() });

/** Intents for saved views, shared by backlog and board. They save the look of the page the form was sent from. */
export function viewIntents(
  actor: Actor,
  form: FormData,
  target: { productId: string; page: ViewPage; request: Request },
) {
  const { pathname, searchParams } = new URL(target.request.url);
  const look = lookOf(target.page, searchParams);
  const back = (view: string | null) => {
    if (view === null) searchParams.delete("view");
    else searchParams.set("view", view);
    return redirect(`${pathname}?${searchParams}`, 303);
  };
  return {
    "save-view": async () => {
      const { name, shared } = readForm(form, named.omit({ view_id: true }));
      const view = await createSavedView(actor, {
        product_id: target.productId,
        page: target.page,
        name,
        look,
        shared,
      });
      return back(view.id);
    },
    "keep-look": async () => {
      const { view_id } = readForm(form, savedViewIdInput);
      await updateSavedView(actor, { view_id, look });
      return back(view_id);
    },
    "change-view": async () => {
      const { shared = false, ...given } = readForm(form, named);
      await updateSavedView(actor, { ...given, shared });
      return back(given.view_id);
    },
    "delete-view": async () => {
      form.delete("name");
      form.delete("shared");
      await deleteSavedView(actor, readForm(form, savedViewIdInput));
      return back(null);
    },
  };
}
