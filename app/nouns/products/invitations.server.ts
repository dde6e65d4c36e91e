import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, orRefused, unlessRefused } from "~/db/rpc.server";
import { operation, serviceOperation } from "~/nouns/operation.server";
import { memberRoles, productIdInput } from "~/wire/products/contract";
import * as wire from "./invitation";

/** Malformed codes hash as an empty one. No invitation has it, so the database refuses as for unknown codes. */
export function hashInvitationCode(code: string): string {
  return createHash("sha256")
    .update(wire.invitationCodeSchema.safeParse(code).data ?? "")
    .digest("hex");
}

/** Creates a link for one person; its code is returned only here. Owner only. */
export async function createInvitation(
  actor: Actor,
  { product_id, role }: wire.CreateInvitationInput,
): Promise<{ id: string; code: string }> {
  const code = randomBytes(32).toString("base64url");
  const given = { p_product_id: product_id, p_role: role, p_code_hash: hashInvitationCode(code) };
  const { id } = await callAs(actor, "create_invitation", given, z.object({ id: z.string() }));
  return { id, code };
}

/** Unused links; owner only. */
export const listInvitations = operation(
  "list_invitations",
  productIdInput,
  z.object({ invitations: z.array(wire.invitationSchema) }),
);

/** Revokes a link; owner only. */
export const revokeInvitation = operation("revoke_invitation", wire.invitationIdInput, z.object({ id: z.string() }));

/** The caller joins with a link's code; without one, with the link by which their account was made. */
export const joinProduct = operation(
  "join_product",
  z.object({ code_hash: z.string().optional() }),
  z.object({ product_id: z.string(), role: z.enum(memberRoles) }),
);

export const answerInvitation = operation(
  "answer_invitation",
  wire.answerInvitationInput,
  z.object({ product_id: z.string(), accepted: z.boolean() }),
);

/** What a link invites to, for anyone who has it; 404 if it is not valid. */
export const findInvitation = serviceOperation(
  "find_invitation",
  z.object({ code_hash: z.string() }),
  wire.foundInvitationSchema,
);

const reserveInvitation = serviceOperation(
  "reserve_invitation",
  z.object({ code_hash: z.string() }),
  z.object({ reserved: z.boolean() }),
);

const keepInvitation = serviceOperation(
  "keep_invitation",
  z.object({ code_hash: z.string(), account: z.string().nullable() }),
  z.object({ kept: z.boolean() }),
);

/** A link makes one account: it is reserved while that is made, then kept for its first sign-in; free again if none was. */
export async function withInvitation<Account extends string | null>(
  database: Database,
  code: string | undefined,
  make: () => Promise<Account>,
): Promise<Account> {
  if (code === undefined) return make();
  const code_hash = hashInvitationCode(code);
  await reserveInvitation(database, { code_hash });
  let account: Account | null = null;
  try {
    account = await make();
    return account;
  } finally {
    await keepInvitation(database, { code_hash, account });
  }
}

const invitedSchema = z.object({
  user_id: z.string(),
  username: z.string(),
  /** False for a demo account, which becomes a member at once. */
  asked: z.boolean(),
});

/** Invites a user by name or email; owner only (specification: Authentication 4). */
export async function invitePerson(
  actor: Actor,
  { product_id, identifier, role }: wire.InvitePersonInput,
): Promise<z.infer<typeof invitedSchema>> {
  const given = { p_product_id: product_id, p_identifier: identifier, ...(role === undefined ? {} : { p_role: role }) };
  return unlessRefused(await callAs(actor, "invite_person", given, orRefused(invitedSchema)));
}
