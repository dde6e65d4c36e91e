import type { Logger } from "pino";
import type { Database } from "./db/database.server";
import type { Env } from "./env.server";
import type { Metrics } from "./metrics/metrics.server";
import type { Hub } from "./realtime/hub.server";
import type { WorkerFile } from "./server/worker-file.server";
import type { OpenStreams } from "./sse/open-streams.server";

/** Everything that lives as long as the process; made once at start and handed down in the load context. */
export interface Services {
  readonly env: Env;
  readonly database: Database;
  /** One upstream subscription per topic, shared by all streams of this process. */
  readonly hub: Hub;
  /** The open streams of this process: their limits and the sweep of their readers' rights. */
  readonly streams: OpenStreams;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly startedAt: Date;
  /** The service version that `/api/health` tells. */
  readonly version: string;
  /** What `GET /worker.mjs` answers; null where nothing was built. */
  readonly workerFile: WorkerFile | null;
  /** Aborted when the process is asked to stop: open streams and long polls end themselves. */
  readonly stopSignal: AbortSignal;
}
