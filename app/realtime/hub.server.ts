import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { type Hub, TopicHub } from "./hub";
import { anotherConnection } from "./realtime-connection";
import { createUpstream } from "./upstream";

export type { Hub } from "./hub";

interface HubSource {
  database: Database;
  log: Logger;
  /** How often what came is compared with what was sent (10 s). */
  compareMs?: number | undefined;
}

/** Topic, number of the first event, transaction (SQL: list_sent_messages). */
const sentSchema = z.array(
  z
    .tuple([z.string(), z.number(), z.number()])
    .transform(([topic, seq, xid]) => ({ topic, seq, xid })),
);

/** The hub of this process, over the secret client: it listens for everyone, the streams decide who sees what. */
export function createHub({ database, log, compareMs }: HubSource): Hub {
  return new TopicHub({
    upstream:
      database.upstream ??
      createUpstream({ connect: () => anotherConnection(database.secretClient.realtime) }),
    compareMs,
    listSent: (topics) =>
      callService(database, "list_sent_messages", { p_topics: topics }, sentSchema),
    onCompareFailure: (error) =>
      log.warn({ err: error }, "What was sent could not be compared with what came"),
    onBadEvent: (topic, problem) =>
      log.error({ topic, problem }, "A change event has an unexpected shape"),
  });
}
