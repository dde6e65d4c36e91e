import { RealtimeClient } from "@supabase/supabase-js";

/** Heartbeats every 2.5 s: a half-open connection is given up after at most twice that. */
const heartbeatIntervalMs = 2500;
const joinTimeoutMs = 5000;
const longestPauseMs = 5000;

/**
 * One more Realtime connection with the key, address and transport of a client that supabase-js set up.
 * It comes back soon after a short cut and in growing pauses with some chance after a long one.
 */
export function anotherConnection(like: RealtimeClient): RealtimeClient {
  return new RealtimeClient(like.endPoint.replace(/\/websocket$/, ""), {
    params: { apikey: like.apiKey ?? "" },
    accessToken: like.accessToken ?? undefined,
    transport: like.transport,
    timeout: joinTimeoutMs,
    heartbeatIntervalMs,
    reconnectAfterMs: (tries) =>
      Math.min(100 * 2 ** (tries - 1), longestPauseMs) * (0.5 + Math.random() / 2),
  });
}
