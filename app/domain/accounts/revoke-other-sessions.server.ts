import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Signs the user out everywhere but here; answers how many sessions ended. */
export async function revokeOtherSessions(actor: Actor): Promise<number> {
  const answer = z.object({ ended: z.number().int() });
  return (await callAs(actor, "revoke_other_sessions", {}, answer)).ended;
}
