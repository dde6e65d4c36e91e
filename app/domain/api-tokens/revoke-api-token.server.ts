import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Ends an API token of the user at once. */
export async function revokeApiToken(actor: Actor, tokenId: string): Promise<void> {
  await callAs(actor, "revoke_api_token", { p_token_id: tokenId }, z.object({ id: z.uuid() }));
}
