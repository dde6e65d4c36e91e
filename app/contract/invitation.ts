import { z } from "zod";
import { grantedRoleSchema, memberRoles } from "./product";
import { idSchema } from "./text";

const role = z.enum(memberRoles);

/** Part of the address of a link: 32 random bytes. */
export const invitationCodeSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const createInvitationInput = z.object({ product_id: idSchema, role: grantedRoleSchema });
export type CreateInvitationInput = z.infer<typeof createInvitationInput>;

export const invitationIdInput = z.object({ invitation_id: idSchema });

/** A link that nobody has used yet. */
export const invitationSchema = z.object({
  id: z.string(),
  role,
  invited_by: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
});
export type Invitation = z.infer<typeof invitationSchema>;

/** What whoever holds a link reads before they join. */
export const foundInvitationSchema = z.object({
  role,
  product_name: z.string(),
  invited_by: z.string(),
  expires_at: z.string(),
});
