import {
  type SubscribedPush,
  type SubscribePushInput,
  subscribedPushSchema,
} from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Adds this browser to the caller's devices (specification: Push subscription). */
export function subscribePush(actor: Actor, input: SubscribePushInput): Promise<SubscribedPush> {
  return callAs(
    actor,
    "subscribe_push",
    {
      p_endpoint: input.endpoint,
      p_p256dh: input.p256dh,
      p_auth: input.auth,
      p_user_agent: input.user_agent,
    },
    subscribedPushSchema,
  );
}
