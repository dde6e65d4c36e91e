import { deliverPairing, finalPairingStatuses, pairingPayload } from "~/realtime/deliver-pairing";
import { topics } from "~/wire/events";
import { Snapshot, type StreamSource } from "./stream-source";

export interface PairingStreamState {
  pairing_id: string;
  status: string;
  expires_at: string;
  /** Which changes it knows. */
  snapshot: string;
}

interface PairingStreamOptions {
  pairingId: string;
  /** Refuses with 404 (unknown), 401 (another desktop's cookie) or 410 (expired). */
  read: () => Promise<PairingStreamState>;
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
