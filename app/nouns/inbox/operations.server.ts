import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/inbox/contract";

/** The caller's inbox over all products: open, snoozed or done items. */
export const getInbox = operation("get_inbox", wire.getInboxInput, wire.inboxSchema);

/** Archives or snoozes an item in the caller's own inbox, or brings it back. The item itself does not change. */
export const markInboxItem = operation("mark_inbox_item", wire.markInboxItemInput, z.unknown());

/** Archives all of one product in the caller's own inbox but its questions, or brings that back. */
export const archiveInbox = operation("archive_inbox", wire.archiveInboxInput, wire.archivedInboxSchema);
