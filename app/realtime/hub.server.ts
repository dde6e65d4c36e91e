import { RealtimeClient } from "@supabase/supabase-js";
import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { createUpstream } from "~/db/upstream";
import { type Hub, TopicHub } from "./hub";

export type { Hub } from "./hub";

interface HubSource {
  database: Database;
  log: Logger;
  /** Interval at which received messages are compared with sent ones (default 10 s). */
  compareMs?: number | undefined;
}

/** Rows of [topic, number of the first event, transaction] (SQL: list_sent_messages). */
const sentSchema = z.array(
  z.tuple([z.string(), z.number(), z.number()]).transform(([topic, seq, xid]) => ({ topic, seq, xid })),
);

/** Creates the hub of this process. With the secret key it hears everything; the streams decide who sees what. */
export function createHub({ database, log, compareMs }: HubSource): Hub {
  return new TopicHub({
    upstream: database.upstream ?? createUpstream({ connect: () => anotherConnection(database.secretClient.realtime) }),
    compareMs,
    listSent: (topics) => callService(database, "list_sent_messages", { p_topics: topics }, sentSchema),
    onCompareFailure: (error) => log.warn({ err: error }, "What was sent could not be compared with what came"),
    onBadEvent: (topic, problem) => log.error({ topic, problem }, "A change event has an unexpected shape"),
  });
}

/** A half-open connection is detected after at most twice this interval. */
const heartbeatIntervalMs = 2500;
const joinTimeoutMs = 5000;
const longestPauseMs = 5000;

/** With the key, address and transport of a supabase-js client; reconnects with exponential backoff and jitter. */
function anotherConnection(like: RealtimeClient): RealtimeClient {
  return new RealtimeClient(like.endPoint.replace(/\/websocket$/, ""), {
    params: { apikey: like.apiKey ?? "" },
    accessToken: like.accessToken ?? undefined,
    transport: like.transport,
    timeout: joinTimeoutMs,
    heartbeatIntervalMs,
    reconnectAfterMs: (tries) => Math.min(100 * 2 ** (tries - 1), longestPauseMs) * (0.5 + Math.random() / 2),
  });
}
