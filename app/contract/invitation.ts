import { z } from "zod";
import { grantedRoleSchema, memberRoles } from "./product";
import { idSchema, requiredText } from "./text";

const role = z.enum(memberRoles);

/** Part of the address of a link: 32 random bytes. */
export const invitationCodeSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const createInvitationInput = z.object({ product_id: idSchema, role: grantedRoleSchema });
export type CreateInvitationInput = z.infer<typeof createInvitationInput>;

/** Somebody who has an account, by user name or e-mail address. */
export const invitePersonInput = z.object({
  product_id: idSchema,
  identifier: requiredText(254),
  role: grantedRoleSchema.optional(),
});
export type InvitePersonInput = z.infer<typeof invitePersonInput>;

export const answerInvitationInput = z.object({ invitation_id: idSchema, accept: z.boolean() });

export const invitationIdInput = z.object({ invitation_id: idSchema });

/** A link that nobody has used yet, or a person who has not answered yet. */
export const invitationSchema = z.object({
  id: z.string(),
  role,
  /** Who was asked; null for a link. */
  person: z.string().nullable(),
  invited_by: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
});
export type Invitation = z.infer<typeof invitationSchema>;

/** What waits for the answer of whoever was asked. */
export const ownInvitationSchema = invitationSchema
  .omit({ person: true })
  .extend({ product_name: z.string() });
export type OwnInvitation = z.infer<typeof ownInvitationSchema>;

/** What whoever holds a link reads before they join. */
export const foundInvitationSchema = z.object({
  role,
  product_name: z.string(),
  invited_by: z.string(),
  expires_at: z.string(),
});
