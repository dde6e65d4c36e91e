import { z } from "zod";
import { pairingIdInput, pairingStateSchema } from "~/contract/pairing";
import { operation, serviceOperation } from "../operation.server";

/** Takes an approval back: the desktop is signed out, or never gets in. */
export const revokePairing = operation(
  "revoke_pairing",
  pairingIdInput,
  z.object({ pairing_id: z.uuid() }),
);

/** Where a pairing stands, for the desktop that started it: 404 unknown, 401 another desktop, 410 expired. */
export const getPairingState = serviceOperation(
  "get_pairing_state",
  pairingIdInput.extend({ desktop_token_hash: z.string() }),
  pairingStateSchema,
);
