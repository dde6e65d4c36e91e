import { type NotificationsState, notificationsStateSchema } from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** Open questions of the products in reach (specification: Notifications stream). */
export function getNotificationsState(actor: Actor): Promise<NotificationsState> {
  return callAs(actor, "get_notifications_state", {}, notificationsStateSchema);
}
