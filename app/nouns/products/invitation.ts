import { z } from "zod";
import { grantedRoleSchema, memberRoles } from "~/wire/products/contract";
import { idSchema, requiredText } from "~/wire/text";

const role = z.enum(memberRoles);

/** Code in an invitation link: 32 random bytes in base64url. */
export const invitationCodeSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const createInvitationInput = z.object({ product_id: idSchema, role: grantedRoleSchema });
export type CreateInvitationInput = z.infer<typeof createInvitationInput>;

/** Invites a person who has an account, by username or email address. */
export const invitePersonInput = z.object({
  product_id: idSchema,
  identifier: requiredText(254),
  role: grantedRoleSchema.optional(),
});
export type InvitePersonInput = z.infer<typeof invitePersonInput>;

export const answerInvitationInput = z.object({ invitation_id: idSchema, accept: z.boolean() });

export const invitationIdInput = z.object({ invitation_id: idSchema });

/** An unused invitation link, or an invited person who has not answered. */
export const invitationSchema = z.object({
  id: z.string(),
  role,
  /** The invited person; null for a link. */
  person: z.string().nullable(),
  invited_by: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
});
export type Invitation = z.infer<typeof invitationSchema>;

/** What the holder of a link sees before joining. */
export const foundInvitationSchema = z.object({
  role,
  product_name: z.string(),
  invited_by: z.string(),
  expires_at: z.string(),
});

/** Returns the invitation code of a join page's path. */
export function invitationCodeIn(path: string): string | undefined {
  return /^\/join\/([A-Za-z0-9_-]{43})$/.exec(path)?.[1];
}
