import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Ends one of the user's sessions, wherever it is. */
export async function revokeSession(actor: Actor, sessionId: string): Promise<void> {
  await callAs(actor, "revoke_session", { p_session_id: sessionId }, z.object({ id: z.uuid() }));
}
