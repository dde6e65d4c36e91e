import { z } from "zod";
import type { MarkInboxItemInput } from "~/contract/inbox";
import { type Actor, callAs } from "~/db/rpc.server";

const markedSchema = z.object({ state: z.string(), later_until: z.string().nullable() });

/** Puts an item of the caller's own inbox aside, or brings it back; the thing itself stays as it is. */
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
