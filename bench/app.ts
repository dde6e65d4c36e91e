import { pino } from "pino";
import type { Services } from "~/context/services.server";
import { UploadSlots } from "~/context/upload-slots";
import type { Database } from "~/db/database.server";
import { readEnv } from "~/env.server";
import { Metrics } from "~/metrics/metrics.server";
import { createHub } from "~/realtime/hub.server";
import { builtFiles } from "~/server/build-source";
import { createFront } from "~/server/front";
import { HttpServer } from "~/server/http-server";
import type { BuildSource } from "~/server/page-app";
import { OpenStreams } from "~/sse/open-streams.server";
import { projectRoot } from "../supabase/embedded/project-root";
import { openInstallation } from "./installation";

/** What sees each call of the database, and the pages and routes that are served. */
type Watch = { database?: (database: Database) => Database; source?: (source: BuildSource) => Promise<BuildSource> };

/** The app as it is served, pages included, in this process and over a Postgres of its own. */
export async function startApp(watch: Watch = {}) {
  const installation = await openInstallation();
  const { sessionSecret, cluster, sql } = installation;
  const database = watch.database?.(installation.database) ?? installation.database;
  const log = pino({ level: "error" });
  const server = new HttpServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  const env = readEnv({
    NODE_ENV: "production",
    PORT: String(port),
    SESSION_SECRET: sessionSecret,
    STREAMS_PER_USER: "20000",
    STREAM_LIFETIME_SECONDS: "3600",
  });
  const stopController = new AbortController();
  const services: Services = {
    env,
    database,
    hub: createHub({ database, log }),
    streams: new OpenStreams({ limits: env.streamLimits, database, log }),
    log,
    version: "bench",
    metrics: new Metrics(),
    uploads: new UploadSlots(),
    workerFile: null,
    stopSignal: stopController.signal,
  };
  const files = await builtFiles(projectRoot);
  server.on("request", createFront(services, (await watch.source?.(files)) ?? files, projectRoot));
  return {
    port,
    sessionSecret,
    database,
    sql,
    urlFor: (role: string) => cluster.url(role, "postgres"),
    pids: [process.pid, cluster.pid()],
    async stop() {
      stopController.abort();
      server.closeAllConnections();
      await services.hub.close();
      await installation.remove();
    },
  };
}
