/** What a stream sends to the tabs that share it. */
export type Signal =
  | { type: "status"; status: LiveStatus }
  /** A named event: `ready`, `jobs`, `workers`, `state`. */
  | { type: "named"; name: string; data: unknown }
  /** An unnamed message: a change. */
  | { type: "change"; data: unknown };

export type SignalListener = (signal: Signal) => void;

/** How fresh a page is. `refused`: access is gone, and the stream does not reconnect. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "offline" | "refused";
