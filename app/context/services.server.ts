import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import type { Env } from "~/env.server";
import type { Metrics } from "~/metrics/metrics.server";
import type { Hub } from "~/realtime/hub.server";
import type { OpenStreams } from "~/sse/open-streams.server";
import type { UploadSlots } from "./upload-slots";
import type { WorkerFile } from "./worker-file.server";

/** Everything that lives as long as the process. Created once at start and passed in the load context. */
export interface Services {
  readonly env: Env;
  readonly database: Database;
  /** One upstream subscription per topic, shared by all streams of this process. */
  readonly hub: Hub;
  /** The open streams of this process: their limits and the sweep that checks access. */
  readonly streams: OpenStreams;
  readonly uploads: UploadSlots;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The version that `/api/health` reports. */
  readonly version: string;
  /** The file of `GET /worker.mjs`, or null if there is no build. */
  readonly workerFile: WorkerFile | null;
  /** Aborted when the process stops, so that open streams and long polls end. */
  readonly stopSignal: AbortSignal;
}
