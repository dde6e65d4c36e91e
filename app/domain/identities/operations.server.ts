import { z } from "zod";
import { serviceOperation } from "../operation.server";

const identity = z.object({ issuer: z.string(), subject: z.string() });

/** Whose account a sign-in at the provider leads to: the linked one, or one that has the same address. */
export const findIdentityAccount = serviceOperation(
  "find_identity_account",
  identity.extend({ verified_email: z.string().nullable() }),
  z.object({
    linked: z.uuid().nullable(),
    same_address: z.uuid().nullable(),
    is_connected_otherwise: z.boolean(),
    is_address_confirmed: z.boolean(),
    /** Whether a refresh token is kept that tells when the account there ends. */
    can_be_checked: z.boolean(),
  }),
);

/** When an account was connected to the provider; null when it was not. */
export const accountIdentity = serviceOperation(
  "account_identity",
  z.object({ issuer: z.string(), account: z.uuid() }),
  z.object({ connected_at: z.string().nullable() }),
);

/** Links an account of the provider with one here; refuses what is linked otherwise. */
export const linkIdentity = serviceOperation(
  "link_identity",
  identity.extend({ account: z.uuid(), by_address: z.boolean(), ip: z.string() }),
  z.object({ account: z.uuid() }),
);

/** Notes that the provider has just said that the account exists. */
export const keepIdentity = serviceOperation(
  "keep_identity",
  identity.extend({
    refresh_token: z.string().nullable(),
    tried: z.string().nullish(),
    is_admin: z.boolean().nullable(),
  }),
  z.object({ kept: z.boolean() }),
);

/** Identities that are due to be asked about, each for one process. */
export const claimIdentityChecks = serviceOperation(
  "claim_identity_checks",
  z.object({ issuer: z.string(), recheck_hours: z.int() }),
  z.array(identity.extend({ refresh_token: z.string() })),
);

/** Ends all access of an account that the provider no longer knows. */
export const endIdentity = serviceOperation(
  "end_identity",
  identity.extend({ tried: z.string() }),
  z.object({ ended: z.boolean() }),
);
