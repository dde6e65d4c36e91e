import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import type { MarkInboxItemInput } from "./contract";

const markedSchema = z.object({ state: z.string(), later_until: z.string().nullable() });

/** Archives or snoozes an item in the caller's own inbox, or brings it back. The item itself does not change. */
export function markInboxItem(actor: Actor, input: MarkInboxItemInput) {
  return callAs(
    actor,
    "mark_inbox_item",
    {
      p_kind: input.kind,
      p_item_id: input.id,
      p_mark: input.mark,
      p_until: input.until ?? null,
    },
    markedSchema,
  );
}
