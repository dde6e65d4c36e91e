import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, callService, orRefused, unlessRefused } from "~/db/rpc.server";
import { argumentsOf, type SigningInBrowser } from "~/nouns/accounts/log-in.server";
import type { Principal } from "~/wire/accounts/contract";
import {
  type PairingForApproval,
  type PairingSecret,
  pairingForApprovalSchema,
  type StartedPairing,
} from "~/wire/pairings/contract";

interface WaitingDesktop {
  userAgent: string | null;
  address: string;
  /** Key for the limit of 10 per minute. */
  addressKey: string;
}

/** Starts a desktop's pairing (specification: POST /api/auth/pair/start). Two separate secrets, stored as hashes. */
export async function startPairing(
  database: Database,
  desktop: WaitingDesktop,
  origin: string,
): Promise<{ pairing: StartedPairing; desktopToken: string }> {
  const mobileSecret = newPairingSecret();
  const desktopToken = newPairingSecret();
  const { pairing_id: pairingId, expires_at: expiresAt } = await callService(
    database,
    "start_pairing",
    {
      p_mobile_secret_hash: hashOfSecret(mobileSecret),
      p_desktop_token_hash: hashOfSecret(desktopToken),
      p_address_key: desktop.addressKey,
      p_user_agent: desktop.userAgent,
      p_ip: desktop.address,
    },
    z.object({ pairing_id: z.uuid(), expires_at: z.string() }),
  );
  const qrUrl = `${origin}/m/pair#id=${pairingId}&s=${mobileSecret}`;
  return { pairing: { pairingId, mobileSecret, expiresAt, qrUrl }, desktopToken };
}

/** The device that asks, and the account it would get (get-pairing-for-approval). Demo users may read it. */
export async function getPairingForApproval(
  database: Database,
  principal: Principal,
  pairing: PairingSecret,
): Promise<PairingForApproval> {
  const given = { p_user_id: principal.user_id, ...namesOf(pairing) };
  const answer = orRefused(pairingForApprovalSchema);
  return unlessRefused(await callService(database, "get_pairing_for_approval", given, answer));
}

function namesOf({ pairing_id, secret }: PairingSecret) {
  return { p_pairing_id: pairing_id, p_mobile_secret_hash: hashOfSecret(secret) };
}

const decidedSchema = orRefused(z.object({ pairing_id: z.uuid() }));

/** Approves the waiting desktop's sign-in (specification: Login pairing); demo users are blocked. */
export function approvePairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  return decide(actor, "approve_pairing", pairing);
}

/** Declines the waiting desktop's sign-in (specification: Login pairing); demo users are blocked. */
export function cancelPairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  return decide(actor, "cancel_pairing", pairing);
}

async function decide(actor: Actor, name: string, pairing: PairingSecret) {
  unlessRefused(await callAs(actor, name, namesOf(pairing), decidedSchema));
}

const claimedSchema = z.object({
  session_id: z.uuid(),
  user_id: z.uuid(),
  is_demo: z.boolean(),
  paired_expires_at: z.string(),
});
export type ClaimedPairing = z.infer<typeof claimedSchema>;

/** Turns an approved pairing into an 8-hour session, at most once (specification: POST /api/auth/pair/claim). */
export function claimPairing(
  database: Database,
  pairingId: string,
  desktopTokenHash: string,
  browser: SigningInBrowser,
): Promise<ClaimedPairing> {
  const given = { p_pairing_id: pairingId, p_desktop_token_hash: desktopTokenHash, ...argumentsOf(browser) };
  return callService(database, "claim_pairing", given, claimedSchema);
}

/** 32 random bytes as 43 characters that fit a URL fragment and a cookie. */
export const newPairingSecret = (): string => randomBytes(32).toString("base64url");

/** SHA-256 of a secret in hex, the only form the service stores. */
const hashOfSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
