import { z } from "zod";
import type { PairingSecret } from "~/contract/pairing";
import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import { type Actor, callAs } from "~/db/rpc.server";
import { hashOfSecret } from "./pairing-secret.server";

/** Lets the waiting desktop in (specification: Login pairing); demo users are blocked. */
export async function approvePairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  unlessRefused(
    await callAs(
      actor,
      "approve_pairing",
      { p_pairing_id: pairing.pairing_id, p_mobile_secret_hash: hashOfSecret(pairing.secret) },
      orRefused(z.object({ pairing_id: z.uuid() })),
    ),
  );
}
