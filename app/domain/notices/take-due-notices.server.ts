import { type DueNotice, dueNoticesSchema, type TakeDueNoticesInput } from "~/contract/notice";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Takes the notices that are due; each comes due again unless it is marked. Service only. */
export function takeDueNotices(
  database: Database,
  input: TakeDueNoticesInput = {},
): Promise<{ notices: DueNotice[] }> {
  return callService(
    database,
    "take_due_notices",
    { p_limit: input.limit, p_lease_seconds: input.lease_seconds },
    dueNoticesSchema,
  );
}
