import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes a view out of the lists of everybody who has it. */
export async function deleteSavedView(
  actor: Actor,
  { view_id }: { view_id: string },
): Promise<void> {
  const answer = z.object({ deleted: z.boolean() });
  await callAs(actor, "delete_saved_view", { p_view_id: view_id }, answer);
}
