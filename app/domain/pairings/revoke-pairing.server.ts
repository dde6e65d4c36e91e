import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes an approval back: the desktop is signed out, or never gets in. */
export async function revokePairing(actor: Actor, pairingId: string): Promise<void> {
  await callAs(
    actor,
    "revoke_pairing",
    { p_pairing_id: pairingId },
    z.object({ pairing_id: z.uuid() }),
  );
}
