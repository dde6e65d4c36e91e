import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { StartedPairing } from "./contract";
import { hashOfSecret, newPairingSecret } from "./pairing-secret.server";

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
