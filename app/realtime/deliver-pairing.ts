import type { ChangeEvent } from "~/wire/events";
import { type Delivery, drop, end, pick, send, sendAndEnd } from "./delivery";

export const finalPairingStatuses: ReadonlySet<string> = new Set(["consumed", "cancelled"]);

/** Filter of the pairing stream: every step of one pairing, ending with the last (specification: Pairing stream). */
export function deliverPairing(event: ChangeEvent, pairingId: string): Delivery {
  if (event.entity !== "pairing" || event.id !== pairingId) return drop;
  if (event.op === "D") return end;
  return event.status !== undefined && finalPairingStatuses.has(event.status) ? sendAndEnd : send;
}

export function pairingPayload(event: ChangeEvent): Record<string, unknown> {
  return pick(event, ["op", "pairing_id", "status"]);
}
