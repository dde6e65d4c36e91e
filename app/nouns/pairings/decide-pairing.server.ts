import { z } from "zod";
import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import { type Actor, callAs } from "~/db/rpc.server";
import type { PairingSecret } from "./contract";
import { hashOfSecret } from "./pairing-secret.server";

const decidedSchema = orRefused(z.object({ pairing_id: z.uuid() }));

/** Approves the waiting desktop's sign-in (specification: Login pairing); demo users are blocked. */
export function approvePairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  return decide(actor, "approve_pairing", pairing);
}

/** Declines the waiting desktop's sign-in (specification: Login pairing); demo users are blocked. */
export function cancelPairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  return decide(actor, "cancel_pairing", pairing);
}

async function decide(actor: Actor, name: string, { pairing_id, secret }: PairingSecret) {
  const given = { p_pairing_id: pairing_id, p_mobile_secret_hash: hashOfSecret(secret) };
  unlessRefused(await callAs(actor, name, given, decidedSchema));
}
