import { z } from "zod";
import { pairingIdInput } from "~/contract/pairing";
import { operation } from "../operation.server";

/** Takes an approval back: the desktop is signed out, or never gets in. */
export const revokePairing = operation(
  "revoke_pairing",
  pairingIdInput,
  z.object({ pairing_id: z.uuid() }),
);
