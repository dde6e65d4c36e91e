import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Ends all other sessions of the user; returns how many. */
export async function revokeOtherSessions(actor: Actor): Promise<number> {
  const answer = z.object({ ended: z.number().int() });
  return (await callAs(actor, "revoke_other_sessions", {}, answer)).ended;
}
