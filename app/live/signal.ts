import type { z } from "zod";
import type { BacklogChange, pairingStateSchema } from "~/wire/events";

export type Signal =
  | { type: "status"; status: LiveStatus }
  /** A named event: `ready`, `jobs`, `workers`, `state`. */
  | { type: "named"; name: string; data: unknown }
  /** An unnamed message: a change. */
  | { type: "change"; data: unknown };

export type SignalListener = (signal: Signal) => void;

/** How fresh a page is. `refused`: access is gone, and the stream does not reconnect. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "offline" | "refused";

// The server validates every message against the contract; the browser checks only the fields it uses.
// A schema library would be a tenth of what a board loads.

type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

export function isChange(value: unknown): value is Fields {
  return (
    isFields(value) &&
    (value.op === "I" || value.op === "U" || value.op === "D") &&
    typeof value.entity === "string" &&
    typeof value.id === "string"
  );
}

export function isBacklogChange(value: unknown): value is BacklogChange {
  return isChange(value) && typeof value.product_id === "string";
}

/** True if the missed messages follow, so that nothing has to be read again. */
export const isResumed = (value: unknown): boolean => isFields(value) && value.resumed === true;

const pairingStatuses: readonly unknown[] = ["pending", "approved", "consumed", "cancelled"];

export function isPairingState(value: unknown): value is z.infer<typeof pairingStateSchema> {
  return isFields(value) && typeof value.pairing_id === "string" && pairingStatuses.includes(value.status);
}
