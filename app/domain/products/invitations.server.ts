import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import {
  answerInvitationInput,
  type CreateInvitationInput,
  foundInvitationSchema,
  invitationCodeSchema,
  invitationIdInput,
  invitationSchema,
  ownInvitationSchema,
} from "~/contract/invitation";
import { memberRoles, productIdInput } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";
import { noInput, operation, serviceOperation } from "../operation.server";

/** Nothing holds under a code of another form; the database is asked all the same, and says so. */
export function hashInvitationCode(code: string): string {
  return createHash("sha256")
    .update(invitationCodeSchema.safeParse(code).data ?? "")
    .digest("hex");
}

/** A link for one person; its code is answered here and never again. Only the owner may. */
export async function createInvitation(
  actor: Actor,
  { product_id, role }: CreateInvitationInput,
): Promise<{ id: string; code: string }> {
  const code = randomBytes(32).toString("base64url");
  const given = { p_product_id: product_id, p_role: role, p_code_hash: hashInvitationCode(code) };
  const { id } = await callAs(actor, "create_invitation", given, z.object({ id: z.string() }));
  return { id, code };
}

/** Links that nobody has used yet; only the owner may. */
export const listInvitations = operation(
  "list_invitations",
  productIdInput,
  z.object({ invitations: z.array(invitationSchema) }),
);

/** Ends a link; only the owner may. */
export const revokeInvitation = operation(
  "revoke_invitation",
  invitationIdInput,
  z.object({ id: z.string() }),
);

/** The caller joins with the code of a link; `reserved` when they have just registered with it. */
export const joinProduct = operation(
  "join_product",
  z.object({ code_hash: z.string(), reserved: z.boolean().optional() }),
  z.object({ product_id: z.string(), role: z.enum(memberRoles) }),
);

/** Who asks the caller into which product. */
export const listOwnInvitations = operation(
  "list_own_invitations",
  noInput,
  z.object({ invitations: z.array(ownInvitationSchema) }),
);

/** The caller accepts or declines. */
export const answerInvitation = operation(
  "answer_invitation",
  answerInvitationInput,
  z.object({ product_id: z.string(), accepted: z.boolean() }),
);

/** What a link invites to, for whoever holds it; 404 when it does not hold. */
export const findInvitation = serviceOperation(
  "find_invitation",
  z.object({ code_hash: z.string() }),
  foundInvitationSchema,
);

/** Keeps a link for whoever registers with it, or lets it go. */
export const reserveInvitation = serviceOperation(
  "reserve_invitation",
  z.object({ code_hash: z.string(), release: z.boolean().optional() }),
  z.object({ reserved: z.boolean() }),
);
