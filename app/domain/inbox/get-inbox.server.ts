import { type GetInboxInput, inboxSchema } from "~/contract/inbox";
import { type Actor, callAs } from "~/db/rpc.server";

/** What waits for the caller over all products: open, put off until later, or done. */
export function getInbox(actor: Actor, { state, kinds }: GetInboxInput) {
  return callAs(
    actor,
    "get_inbox",
    { p_state: state ?? "open", p_kinds: kinds ?? null },
    inboxSchema,
  );
}
