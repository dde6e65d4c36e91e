import { useEffect, useRef, useState } from "react";
import type { z } from "zod";
import type { pairingStateSchema } from "~/contract/events";
import type { LiveStatus } from "~/live/live-status";
import { isPairingState } from "~/live/read-message";
import { StreamConnection } from "~/live/stream-connection";

type PairingStatus = z.infer<typeof pairingStateSchema>["status"];

interface PairingStreamOptions {
  /** From the named event `state` and from unnamed messages alike. */
  onStatus: (status: PairingStatus) => void;
  /** Nothing more can come of this pairing: consumed, cancelled or expired. */
  onEnd?: () => void;
}

/** The pairing stream of a waiting desktop; it belongs to one tab, so it is not shared (specification: Pairing stream). */
export function usePairingStream(
  pairingId: string | null,
  { onStatus, onEnd }: PairingStreamOptions,
): LiveStatus {
  const [status, setStatus] = useState<LiveStatus>("connecting");
  const callbacks = useRef({ onStatus, onEnd });

  useEffect(() => {
    callbacks.current = { onStatus, onEnd };
  });

  useEffect(() => {
    if (pairingId === null) return;
    const connection = new StreamConnection(`/api/auth/pair/stream/${pairingId}`, (signal) => {
      if (signal.type === "status") {
        setStatus(signal.status);
        if (signal.status === "refused") callbacks.current.onEnd?.();
        return;
      }
      const pairing = signal.data;
      if (!isPairingState(pairing) || pairing.pairing_id !== pairingId) return;
      callbacks.current.onStatus(pairing.status);
      if (pairing.status === "consumed" || pairing.status === "cancelled") {
        connection.close();
        callbacks.current.onEnd?.();
      }
    });
    connection.start();
    return () => connection.close();
  }, [pairingId]);

  return status;
}
