import type { LiveStatus } from "./live-status";

/** What a stream tells the tabs that share it. */
export type Signal =
  | { type: "status"; status: LiveStatus }
  /** A named event: `ready`, `jobs`, `workers`, `state`. */
  | { type: "named"; name: string; data: unknown }
  /** An unnamed message: a change. */
  | { type: "change"; data: unknown };

export type SignalListener = (signal: Signal) => void;
