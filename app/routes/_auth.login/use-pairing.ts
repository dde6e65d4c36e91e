import { useCallback, useEffect, useRef, useState } from "react";
import type { PairingStatus } from "~/contract/pairing";
import { requestClaim, requestPairing } from "./pairing-requests";
import type { PairingView } from "./pairing-view";
import { usePairingStream } from "./use-pairing-stream";

/** Shows a code, waits for the phone, and claims at once when it approves (specification: Pairing stream). */
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
    // A whole new page: everything loaded so far belongs to somebody who was not signed in.
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
