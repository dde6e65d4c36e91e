import { z } from "zod";
import type { PairingSecret } from "~/contract/pairing";
import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import { type Actor, callAs } from "~/db/rpc.server";
import { hashOfSecret } from "./pairing-secret.server";

/** Declines the waiting desktop (specification: Login pairing); demo users are blocked. */
export async function cancelPairing(actor: Actor, pairing: PairingSecret): Promise<void> {
  unlessRefused(
    await callAs(
      actor,
      "cancel_pairing",
      { p_pairing_id: pairing.pairing_id, p_mobile_secret_hash: hashOfSecret(pairing.secret) },
      orRefused(z.object({ pairing_id: z.uuid() })),
    ),
  );
}
