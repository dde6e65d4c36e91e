import * as z from "zod/mini";
import { pairingCheckCode, pairingSeconds } from "~/contract/pairing-code";
import type { ShownPairing } from "./pairing-view";

// The small zod: this page is the first one that people load.
const startedSchema = z.object({ pairingId: z.string(), qrUrl: z.string(), expiresAt: z.string() });
const refusalSchema = z.object({ error: z.string() });

/** Asks for a code. The deadline is told by the server's clock, so that a wrong one here does not matter. */
export async function requestPairing(): Promise<ShownPairing> {
  const response = await fetch("/api/auth/pair/start", { method: "POST" });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(refusalSchema.parse(body).error);
  const { pairingId, qrUrl, expiresAt } = startedSchema.parse(body);
  const serverNow = Date.parse(response.headers.get("date") ?? "") || Date.now();
  // The header counts whole seconds, so the difference may come out a little too long.
  const left = Math.min(Date.parse(expiresAt) - serverNow, pairingSeconds * 1000);
  return {
    id: pairingId,
    qrUrl,
    checkCode: pairingCheckCode(pairingId),
    expiresAt: Date.now() + left,
  };
}

export type ClaimOutcome = "signed_in" | "pending" | "gone";

/** Turns the approval into a session of this browser. */
export async function requestClaim(pairingId: string): Promise<ClaimOutcome> {
  const response = await fetch("/api/auth/pair/claim", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pairingId }),
  });
  if (response.ok) return "signed_in";
  return response.status === 409 ? "pending" : "gone";
}
