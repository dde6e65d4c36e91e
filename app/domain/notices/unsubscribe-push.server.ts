import {
  type UnsubscribedPush,
  type UnsubscribePushInput,
  unsubscribedPushSchema,
} from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Removes a device of the caller (specification: Push subscription). */
export function unsubscribePush(
  actor: Actor,
  input: UnsubscribePushInput,
): Promise<UnsubscribedPush> {
  return callAs(
    actor,
    "unsubscribe_push",
    { p_id: input.id, p_endpoint: input.endpoint },
    unsubscribedPushSchema,
  );
}
