import { useCallback, useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { isPairingState, type LiveStatus } from "~/live/signal";
import { StreamConnection } from "~/live/stream-connection";
import { pairingCheckCode, pairingSeconds } from "~/nouns/pairings/pairing-code";
import type { PairingStatus } from "~/wire/pairings/contract";

/** Shows a code, waits for the phone, and claims the session on approval (specification: Pairing stream). */
export function usePairing(redirectTo: string): { view: PairingView; start: () => void } {
  const [view, setView] = useState<PairingView>({ status: "idle" });
  const claiming = useRef<string | null>(null);
  const pairing = view.status === "waiting" || view.status === "approved" ? view.pairing : null;

  const start = useCallback(() => {
    setView({ status: "starting" });
    requestPairing().then(
      (shown) => setView({ status: "waiting", pairing: shown }),
      (error: unknown) => setView({ status: "failed", message: messageOf(error) }),
    );
  }, []);

  const claim = async (id: string) => {
    if (claiming.current === id) return;
    claiming.current = id;
    const outcome = await requestClaim(id).catch(() => "pending" as const);
    if (outcome === "pending") {
      claiming.current = null;
      return;
    }
    setView({ status: outcome === "signed_in" ? "signed_in" : "expired" });
    // A full page load: everything loaded so far belongs to a signed-out user.
    if (outcome === "signed_in") window.location.assign(redirectTo);
  };

  const onStatus = (status: PairingStatus) => {
    if (!pairing) return;
    if (status === "approved") {
      setView({ status: "approved", pairing });
      void claim(pairing.id);
    }
    if (status === "cancelled") setView({ status: "declined" });
  };
  const onEnd = () => setView((now) => (now.status === "waiting" ? { status: "expired" } : now));
  usePairingStream(pairing?.id ?? null, { onStatus, onEnd });

  const deadline = view.status === "waiting" ? view.pairing.expiresAt : null;
  useEffect(() => {
    if (deadline === null) return;
    const timer = setTimeout(() => setView({ status: "expired" }), deadline - Date.now());
    return () => clearTimeout(timer);
  }, [deadline]);

  return { view, start };
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ""
    ? error.message
    : "The service cannot be reached. Check the connection and try again.";
}

// zod mini: this page is the first one people load.
const startedSchema = z.object({ pairingId: z.string(), qrUrl: z.string(), expiresAt: z.string() });
const refusalSchema = z.object({ error: z.string() });

/** Requests a code. The deadline is computed from the server's clock, so a wrong local clock does not matter. */
async function requestPairing(): Promise<ShownPairing> {
  const response = await fetch("/api/auth/pair/start", { method: "POST" });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(refusalSchema.parse(body).error);
  const { pairingId, qrUrl, expiresAt } = startedSchema.parse(body);
  const serverNow = Date.parse(response.headers.get("date") ?? "") || Date.now();
  // The date header has whole seconds, so the difference may be slightly too long.
  const left = Math.min(Date.parse(expiresAt) - serverNow, pairingSeconds * 1000);
  return { id: pairingId, qrUrl, checkCode: pairingCheckCode(pairingId), expiresAt: Date.now() + left };
}

type ClaimOutcome = "signed_in" | "pending" | "gone";

async function requestClaim(pairingId: string): Promise<ClaimOutcome> {
  const response = await fetch("/api/auth/pair/claim", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pairingId }),
  });
  if (response.ok) return "signed_in";
  return response.status === 409 ? "pending" : "gone";
}

interface PairingStreamOptions {
  /** Called for the named event `state` and for unnamed messages. */
  onStatus: (status: PairingStatus) => void;
  /** Called when the pairing is over: consumed, cancelled or expired. */
  onEnd?: () => void;
}

/** The pairing stream of a waiting desktop. Each tab has its own; it is not shared (specification: Pairing stream). */
function usePairingStream(pairingId: string | null, { onStatus, onEnd }: PairingStreamOptions): LiveStatus {
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

/** State of the sign-in by phone, as the desktop shows it. */
export type PairingView =
  | { status: "idle" }
  | { status: "starting" }
  | { status: "waiting"; pairing: ShownPairing }
  | { status: "approved"; pairing: ShownPairing }
  | { status: "signed_in" }
  | { status: "declined" }
  | { status: "expired" }
  | { status: "failed"; message: string };

interface ShownPairing {
  id: string;
  qrUrl: string;
  checkCode: string;
  /** By this browser's clock, in milliseconds. */
  expiresAt: number;
}
