import { type MarkedNotice, type MarkNoticeInput, markedNoticeSchema } from "~/contract/notice";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** How a delivery went: delivered, again later, or given up. Service only. */
export function markNotice(database: Database, input: MarkNoticeInput): Promise<MarkedNotice> {
  return callService(
    database,
    "mark_notice",
    {
      p_notice_id: input.notice_id,
      p_delivered: input.delivered,
      p_response_status: input.response_status,
      p_error: input.error,
      p_give_up: input.give_up,
      p_gone_subscription_ids: input.gone_subscription_ids,
    },
    markedNoticeSchema,
  );
}
