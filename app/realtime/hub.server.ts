import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import { type Hub, TopicHub } from "./hub";
import { anotherConnection } from "./realtime-connection";
import { createUpstream } from "./upstream";

export type { Hub } from "./hub";

/** The hub of this process, over the secret client: it listens for everyone, the streams decide who sees what. */
export function createHub({ database, log }: { database: Database; log: Logger }): Hub {
  return new TopicHub({
    upstream: createUpstream({ connect: () => anotherConnection(database.secretClient.realtime) }),
    onBadEvent: (topic, problem) =>
      log.error({ topic, problem }, "A change event has an unexpected shape"),
  });
}
