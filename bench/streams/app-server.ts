import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Services } from "~/context/services.server";
import { UploadSlots } from "~/context/upload-slots";
import { connectDatabase } from "~/db/database.server";
import { readEnv } from "~/env.server";
import { Metrics } from "~/metrics/metrics.server";
import { createHub } from "~/realtime/hub.server";
import { builtFiles } from "~/server/build-source";
import { createFront } from "~/server/front";
import { HttpServer } from "~/server/http-server";
import { createOpenStreams } from "~/sse/open-streams.server";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { projectRoot } from "../../supabase/embedded/project-root";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { serveSupabase } from "../../supabase/embedded/serve";
import type { AppAddress } from "./processes";

/** The app as it is served, pages included, over a Postgres of its own. */

async function startDatabase(dataDir: string) {
  const secrets = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password: secrets.databasePassword });
  await applyShims(cluster.url("supabase_admin", "postgres"), secrets.databasePassword);
  await migrateDatabase(cluster.url("postgres", "postgres"));
  const supabase = await serveSupabase({
    urlFor: (role) => cluster.url(role, "postgres"),
    secrets,
    siteUrl: "http://127.0.0.1:3000",
    sendMail: async () => {},
    realtime: true,
  });
  return { cluster, supabase };
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-"));
  const { cluster, supabase } = await startDatabase(dataDir);
  const database = connectDatabase({ ...supabase });
  const log = pino({ level: "error" });
  const server = new HttpServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  const sessionSecret = randomBytes(32).toString("base64url");
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
    streams: createOpenStreams({ limits: env.streamLimits, database, log }),
    log,
    startedAt: new Date(),
    version: "bench",
    metrics: new Metrics(),
    uploads: new UploadSlots(),
    workerFile: null,
    stopSignal: stopController.signal,
  };
  server.on("request", createFront(services, await builtFiles(projectRoot), projectRoot));

  const address: AppAddress = {
    port,
    sessionSecret,
    sqlUrl: cluster.url("postgres", "postgres"),
    feedUrl: cluster.url("supabase_replication_admin", "postgres"),
    pids: [process.pid, cluster.pid()],
  };
  process.send?.({ ready: address });
  process.on("message", async (message) => {
    if (message === "memory") {
      global.gc?.();
      process.send?.({ memory: process.memoryUsage().rss });
      return;
    }
    stopController.abort();
    server.closeAllConnections();
    await services.hub.close();
    await database.close();
    await supabase.stop();
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
