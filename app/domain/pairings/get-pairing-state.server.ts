import { type PairingState, pairingStateSchema } from "~/contract/pairing";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Where a pairing stands, for the desktop that started it: 404 unknown, 401 another desktop, 410 expired. */
export function getPairingState(
  database: Database,
  pairingId: string,
  desktopTokenHash: string,
): Promise<PairingState> {
  return callService(
    database,
    "get_pairing_state",
    { p_pairing_id: pairingId, p_desktop_token_hash: desktopTokenHash },
    pairingStateSchema,
  );
}
