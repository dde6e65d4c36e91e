import { type CreateSavedViewInput, type SavedView, savedViewSchema } from "~/contract/saved-view";
import { type Actor, callAs } from "~/db/rpc.server";

/** Keeps a look of backlog or board under a name. */
export function createSavedView(
  actor: Actor,
  { product_id, page, name, look, shared }: CreateSavedViewInput,
): Promise<SavedView> {
  return callAs(
    actor,
    "create_saved_view",
    { p_product_id: product_id, p_page: page, p_name: name, p_look: look, p_shared: shared },
    savedViewSchema,
  );
}
