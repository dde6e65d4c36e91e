import { z } from "zod";
import { serviceOperation } from "~/nouns/operation.server";

const identity = z.object({ issuer: z.string(), subject: z.string() });

/** Finds the account for a sign-in at the provider: the linked one, or one with the same address. */
export const findIdentityAccount = serviceOperation(
  "find_identity_account",
  identity.extend({ verified_email: z.string().nullable() }),
  z.object({
    linked: z.uuid().nullable(),
    same_address: z.uuid().nullable(),
    is_connected_otherwise: z.boolean(),
    /** True if a refresh token is stored, by which the account's end can be noticed. */
    can_be_checked: z.boolean(),
  }),
);

/** When an account was connected to the provider; null if it was not. */
export const accountIdentity = serviceOperation(
  "account_identity",
  z.object({ issuer: z.string(), account: z.uuid() }),
  z.object({ connected_at: z.string().nullable() }),
);

/** Links a provider account with one here; refused if either is linked otherwise. */
export const linkIdentity = serviceOperation(
  "link_identity",
  identity.extend({ account: z.uuid(), by_address: z.boolean(), ip: z.string() }),
  z.object({ account: z.uuid() }),
);

/** Records that the provider has just confirmed the account. */
export const keepIdentity = serviceOperation(
  "keep_identity",
  identity.extend({
    refresh_token: z.string().nullable(),
    tried: z.string().nullish(),
    is_admin: z.boolean().nullable(),
  }),
  z.object({ kept: z.boolean() }),
);

/** Takes identities that are due for a check; each goes to one process only. */
export const claimIdentityChecks = serviceOperation(
  "claim_identity_checks",
  z.object({ issuer: z.string(), recheck_hours: z.int() }),
  z.array(identity.extend({ refresh_token: z.string() })),
);

/** Ends all access of an account the provider no longer knows. */
export const endIdentity = serviceOperation(
  "end_identity",
  identity.extend({ tried: z.string() }),
  z.object({ ended: z.boolean() }),
);
