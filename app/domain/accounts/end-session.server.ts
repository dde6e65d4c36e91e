import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Signs one browser out; its cookie is worth nothing afterwards. */
export async function endSession(
  database: Database,
  sessionId: string,
  address: string,
): Promise<void> {
  await callService(
    database,
    "end_session",
    { p_session_id: sessionId, p_ip: address },
    z.object({ ended: z.boolean() }),
  );
}
