import { z } from "zod";
import { scopeSchema } from "../oauth/contract";
import { idSchema } from "../text";
import { passwordMaxBytes, passwordMinLength } from "./password";

/** Longest password that is checked at all, in bytes. Longer ones are refused. */
const passwordReadBytes = 1024;

export const roles = ["DEVELOPER", "ADMIN"] as const;
export const themes = ["SYSTEM", "LIGHT", "DARK"] as const;

const bytes = (text: string) => new TextEncoder().encode(text).length;
/** Whether Postgres can store the text unchanged: no NUL, no lone surrogate. */
export const isStorable = (text: string) => !/[\0\p{Surrogate}]/u.test(text);

/** Sign-in name: letters, digits, dots, underscores and hyphens. Never mistaken for an email address. */
export const usernameSchema = z
  .string({ error: "Choose a username" })
  .trim()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$/,
    "Use 2 to 40 letters, digits, dots, underscores or hyphens, starting with a letter or digit",
  );

export const emailSchema = z
  .string({ error: "Enter an email address" })
  .trim()
  .toLowerCase()
  .max(254, "Use an email address of at most 254 characters")
  .pipe(z.email("Enter an email address like anna@example.org"));

/** New password. Normalized to NFC, so that every keyboard produces the same password. */
export const passwordSchema = z
  .string({ error: "Choose a password" })
  .refine(isStorable, "Use characters that can be typed")
  .transform((text) => text.normalize("NFC"))
  .refine((text) => [...text].length >= passwordMinLength, { error: `Use at least ${passwordMinLength} characters` })
  .refine((text) => bytes(text) <= passwordMaxBytes, {
    error: `Use at most ${passwordMaxBytes} bytes (${passwordMaxBytes} plain letters)`,
  });

/** Form `POST /register`. */
export const registrationSchema = z.object({ username: usernameSchema, email: emailSchema, password: passwordSchema });
export type Registration = z.infer<typeof registrationSchema>;

/** Form `POST /login`. Checks less than registration: a password that could never be valid just fails to sign in. */
export const loginSchema = z.object({
  identifier: z
    .string({ error: "Enter your username or email address" })
    .trim()
    .min(1, "Enter your username or email address")
    .max(254, "Enter your username or email address")
    .refine(isStorable, "Enter your username or email address"),
  password: z
    .string({ error: "Enter your password" })
    .min(1, "Enter your password")
    .refine((text) => bytes(text) <= passwordReadBytes, "This password is too long")
    .refine(isStorable, "Use characters that can be typed")
    .transform((text) => text.normalize("NFC")),
});
export type Login = z.infer<typeof loginSchema>;

/** The caller, as `authenticate` resolves it on each request (specification: Authentication). */
export const principalSchema = z.object({
  user_id: idSchema,
  username: z.string(),
  email: z.string(),
  role: z.enum(roles),
  is_demo: z.boolean(),
  must_reset_password: z.boolean(),
  min_quota_pct: z.number().int(),
  active_product_id: idSchema.nullable(),
  theme: z.enum(themes),
  has_avatar: z.boolean(),
  session_id: idSchema.nullable(),
  paired: z.boolean(),
  paired_expires_at: z.string().nullable(),
  token_id: idSchema.nullable(),
  /** Scopes and products of the token; null: everything its user may do. */
  scopes: z.array(scopeSchema).nullable(),
  product_ids: z.array(idSchema).nullable(),
});
export type Principal = z.infer<typeof principalSchema>;

/** The user's own profile (specification: Other records, User). */
export const profileSchema = z.object({
  id: z.uuid(),
  username: z.string(),
  email: z.string(),
  role: z.enum(roles),
  is_demo: z.boolean(),
  must_reset_password: z.boolean(),
  min_quota_pct: z.number().int(),
  active_product_id: z.uuid().nullable(),
  theme: z.enum(themes),
  has_avatar: z.boolean(),
  created_at: z.string(),
});
export type Profile = z.infer<typeof profileSchema>;

export const minQuotaPctSchema = z.coerce
  .number({ error: "Enter a whole number from 1 to 100" })
  .int("Enter a whole number from 1 to 100")
  .min(1, "Enter a whole number from 1 to 100")
  .max(100, "Enter a whole number from 1 to 100");

/** Fields of the profile page. Absent fields stay unchanged. */
export const profileChangesSchema = z.object({
  username: usernameSchema.optional(),
  min_quota_pct: minQuotaPctSchema.optional(),
  theme: z.enum(themes).optional(),
});

export const passwordChangeSchema = z.object({
  current_password: z.string({ error: "Enter your current password" }).min(1).max(passwordReadBytes),
  new_password: passwordSchema,
});
export type PasswordChange = z.infer<typeof passwordChangeSchema>;

/** Null clears the active product. */
export const setActiveProductInput = z.object({ product_id: z.string().nullable() });

export const sessionIdInput = z.object({ session_id: z.string() });

/** A signed-in browser on the devices page. */
export const sessionSchema = z.object({
  id: z.uuid(),
  user_agent: z.string().nullable(),
  ip: z.string().nullable(),
  paired: z.boolean(),
  paired_expires_at: z.string().nullable(),
  expires_at: z.string(),
  last_seen_at: z.string(),
  created_at: z.string(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const auditEventSchema = z.object({
  id: z.uuid(),
  kind: z.string(),
  user_id: z.uuid().nullable(),
  username: z.string().nullable(),
  actor_id: z.uuid().nullable(),
  actor_name: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
  created_at: z.string(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

export const managedUserSchema = profileSchema
  .omit({ min_quota_pct: true, active_product_id: true, theme: true, has_avatar: true })
  .extend({ last_seen_at: z.string().nullable() });
export type ManagedUser = z.infer<typeof managedUserSchema>;

/** What an administrator may change on a user. Absent fields stay unchanged. */
export const updateUserInput = z.object({
  user_id: z.string(),
  role: z.enum(roles).optional(),
  is_demo: z.boolean().optional(),
  must_reset_password: z.boolean().optional(),
});

/** Returns 100 users in order of name, after the given name. */
export const listUsersInput = z.object({ after: z.string().nullable() });

/** Events before a moment: the caller's own or, for administrators with `all`, everyone's. */
export const listAuditEventsInput = z.object({ all: z.boolean(), before: z.string().nullable() }).partial();
