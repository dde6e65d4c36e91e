import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Whether anybody has an account yet; without one an embedded installation starts for the first time. */
export function hasAccounts(database: Database): Promise<boolean> {
  return callService(database, "has_accounts", {}, z.boolean());
}
