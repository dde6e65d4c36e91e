import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

type OpenAction = "login" | "registration" | "recovery";

/** Counts a try of somebody who is not signed in; 429 beyond the limit (specification: Limits). A failed try counts too. */
export async function takeLimit(database: Database, action: OpenAction, key: string) {
  await callService(
    database,
    "take_limit",
    { p_action: action, p_key: key },
    z.object({ ok: z.literal(true) }),
  );
}
