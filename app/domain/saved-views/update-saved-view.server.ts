import { type SavedView, savedViewSchema, type UpdateSavedViewInput } from "~/contract/saved-view";
import { type Actor, callAs } from "~/db/rpc.server";

/** Another name, another look, or for others too. */
export function updateSavedView(
  actor: Actor,
  { view_id, ...changes }: UpdateSavedViewInput,
): Promise<SavedView> {
  const given = { p_view_id: view_id, p_changes: changes };
  return callAs(actor, "update_saved_view", given, savedViewSchema);
}
