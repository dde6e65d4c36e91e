import { getInboxInput, inboxSchema } from "~/contract/inbox";
import { operation } from "../operation.server";

/** What waits for the caller over all products: open, put off until later, or done. */
export const getInbox = operation("get_inbox", getInboxInput, inboxSchema);
