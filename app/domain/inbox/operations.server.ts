import { getInboxInput, inboxSchema } from "~/contract/inbox";
import { operation } from "../operation.server";

/** The caller's inbox over all products: open, snoozed or done items. */
export const getInbox = operation("get_inbox", getInboxInput, inboxSchema);
