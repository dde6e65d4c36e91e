import { deliverPairing, finalPairingStatuses, pairingPayload } from "~/realtime/deliver-pairing";
import { topics } from "~/wire/events";
import type { PairingState } from "~/wire/pairings/contract";
import { Snapshot, type StreamSource } from "./stream-source";

interface PairingStreamOptions {
  pairingId: string;
  /** Refuses with 404 (unknown), 401 (another desktop's cookie) or 410 (expired). */
  read: () => Promise<PairingState>;
}

const streamsPerPairing = 3;

/** `GET /api/auth/pair/stream/:pairingId`: the steps of one pairing, for the desktop that started it. */
export function pairingStream({ pairingId, read }: PairingStreamOptions): StreamSource {
  return {
    kind: "pairing",
    payload: pairingPayload,
    async read() {
      const { status, expires_at, snapshot } = await read();
      const isFinal = finalPairingStatuses.has(status);
      return {
        limitKey: `pairing:${pairingId}`,
        limit: streamsPerPairing,
        expiresAt: isFinal ? null : expires_at,
        topics: [topics.pairing(pairingId)],
        greeting: () => [{ event: "state", data: { pairing_id: pairingId, status } }],
        deliver: (event) => deliverPairing(event, pairingId),
        isFinal,
        snapshot: new Snapshot(snapshot),
      };
    },
  };
}
