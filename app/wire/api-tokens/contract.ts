import { z } from "zod";
import { isStorable } from "../accounts/contract";
import { scopeSchema, scopes } from "../oauth/contract";
import { idSchema } from "../text";

/** Lets people and secret scanners recognize tokens of this service. */
export const apiTokenPrefix = "blm_";

/** Fields of the token page. Without a number of days the token never expires. */
export const newApiTokenSchema = z.object({
  label: z
    .string({ error: "Give the token a name, for example where it is used" })
    .trim()
    .min(1, "Give the token a name, for example where it is used")
    .max(100, "Use at most 100 characters")
    .refine(isStorable, "Use characters that can be typed"),
  expires_days: z.coerce
    .number({ error: "Enter a number of days from 1 to 3650" })
    .int("Enter a whole number of days")
    .min(1, "Enter a number of days from 1 to 3650")
    .max(3650, "Enter a number of days from 1 to 3650")
    .optional(),
  /** Scopes and products of the token. No choice means no limit. */
  scope: z.array(scopeSchema).max(scopes.length).optional(),
  product: z.array(idSchema).max(1000, "Choose at most 1000 products").optional(),
});
export type NewApiToken = z.infer<typeof newApiTokenSchema>;

export const apiTokenIdInput = z.object({ token_id: z.string() });

/** A token in the list. Shows only the token's prefix, never the token. */
export const apiTokenSchema = z.object({
  id: z.uuid(),
  label: z.string(),
  prefix: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** Null for no limit. */
  scopes: z.array(scopeSchema).nullable().default(null),
  products: z.array(z.string()).nullable().default(null),
});
export type ApiToken = z.infer<typeof apiTokenSchema>;
