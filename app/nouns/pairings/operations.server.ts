import { z } from "zod";
import { operation, serviceOperation } from "~/nouns/operation.server";
import { pairingIdInput, pairingStateSchema } from "~/wire/pairings/contract";

/** Revokes an approval: the desktop is signed out, or never signed in. */
export const revokePairing = operation("revoke_pairing", pairingIdInput, z.object({ pairing_id: z.uuid() }));

/** State of a pairing, for the desktop that started it: 404 unknown, 401 another desktop, 410 expired. */
export const getPairingState = serviceOperation(
  "get_pairing_state",
  pairingIdInput.extend({ desktop_token_hash: z.string() }),
  pairingStateSchema,
);
