import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { SigningInBrowser } from "~/nouns/accounts/create-session.server";

const claimedSchema = z.object({
  session_id: z.uuid(),
  user_id: z.uuid(),
  is_demo: z.boolean(),
  paired_expires_at: z.string(),
});
export type ClaimedPairing = z.infer<typeof claimedSchema>;

/** Turns an approved pairing into an 8-hour session, at most once (specification: POST /api/auth/pair/claim). */
export function claimPairing(
  database: Database,
  pairingId: string,
  desktopTokenHash: string,
  browser: SigningInBrowser,
): Promise<ClaimedPairing> {
  return callService(
    database,
    "claim_pairing",
    {
      p_pairing_id: pairingId,
      p_desktop_token_hash: desktopTokenHash,
      p_user_agent: browser.userAgent,
      p_ip: browser.address,
      p_previous_session_id: browser.previousSessionId,
    },
    claimedSchema,
  );
}
