import {
  type ListSavedViewsInput,
  type SavedView,
  savedViewListSchema,
} from "~/contract/saved-view";
import { type Actor, callAs } from "~/db/rpc.server";

/** One's own and the shared views of a product. */
export function listSavedViews(
  actor: Actor,
  { product_id, page }: ListSavedViewsInput,
): Promise<{ views: SavedView[] }> {
  const given = { p_product_id: product_id, p_page: page };
  return callAs(actor, "list_saved_views", given, savedViewListSchema);
}
