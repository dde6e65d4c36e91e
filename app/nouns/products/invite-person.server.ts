import { z } from "zod";
import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import { type Actor, callAs } from "~/db/rpc.server";
import type { InvitePersonInput } from "./invitation";

const invitedSchema = z.object({
  user_id: z.string(),
  username: z.string(),
  /** False for a demo account, which becomes a member at once. */
  asked: z.boolean(),
});

/** Invites a user by name or email; owner only (specification: Authentication 4). */
export async function invitePerson(
  actor: Actor,
  { product_id, identifier, role }: InvitePersonInput,
): Promise<z.infer<typeof invitedSchema>> {
  const given = {
    p_product_id: product_id,
    p_identifier: identifier,
    ...(role === undefined ? {} : { p_role: role }),
  };
  return unlessRefused(await callAs(actor, "invite_person", given, orRefused(invitedSchema)));
}
