/**
 * How fresh a page is. `refused`: access is gone, the stream will not come back by itself.
 */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "offline" | "refused";
