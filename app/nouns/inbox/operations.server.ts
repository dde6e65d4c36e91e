import { operation } from "~/nouns/operation.server";
import { getInboxInput, inboxSchema } from "./contract";

/** The caller's inbox over all products: open, snoozed or done items. */
export const getInbox = operation("get_inbox", getInboxInput, inboxSchema);
