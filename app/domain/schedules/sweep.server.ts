import { type Swept, sweptSchema } from "~/contract/schedule";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Expired leases, questions on which work waits, and stale rows; safe in any number of processes. */
export function sweep(database: Database, options: { full?: boolean } = {}): Promise<Swept> {
  return callService(database, "sweep", { p_full: options.full ?? false }, sweptSchema);
}
