import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { Principal } from "~/nouns/accounts/contract";
import { type PairingForApproval, type PairingSecret, pairingForApprovalSchema } from "./contract";
import { hashOfSecret } from "./pairing-secret.server";

/** The device that asks, and the account it would get (get-pairing-for-approval). Demo users may read it. */
export async function getPairingForApproval(
  database: Database,
  principal: Principal,
  pairing: PairingSecret,
): Promise<PairingForApproval> {
  return unlessRefused(
    await callService(
      database,
      "get_pairing_for_approval",
      {
        p_user_id: principal.user_id,
        p_pairing_id: pairing.pairing_id,
        p_mobile_secret_hash: hashOfSecret(pairing.secret),
      },
      orRefused(pairingForApprovalSchema),
    ),
  );
}
