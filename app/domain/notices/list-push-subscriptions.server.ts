import { type PushSubscriptionList, pushSubscriptionListSchema } from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** The caller's devices (specification: Push subscription). */
export function listPushSubscriptions(actor: Actor): Promise<PushSubscriptionList> {
  return callAs(actor, "list_push_subscriptions", {}, pushSubscriptionListSchema);
}
