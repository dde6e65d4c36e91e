import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bracketed, type Env, EnvironmentError, readEnv } from "~/env.server";
import { createHub } from "~/realtime/hub.server";
import type { Services } from "~/services.server";
import { createOpenStreams } from "~/sse/open-streams.server";
import manifest from "../../package.json";
import { projectRoot } from "../../supabase/embedded/project-root";
import { openBackend } from "./backend";
import { builtFiles, developmentBuild } from "./build-source";
import { createFront, createHttpServer } from "./front";
import { stopOnSignals } from "./graceful-stop";
import { createLog } from "./log";
import { startScheduler } from "./scheduler.server";

/** Starts the whole service in this process: database, realtime hub, schedule, HTTP. */
async function start(): Promise<void> {
  const startedAt = new Date();
  const givenEnv = readEnv(process.env);
  const log = createLog(givenEnv.logLevel);
  const server = createHttpServer();
  server.on("request", answerNotReady);
  // Taken first: whoever has the wrong port learns it before anything else is started.
  await listen(server, givenEnv);

  const backend = await openBackend(givenEnv);
  const { database, env } = backend;
  const stopController = new AbortController();
  const hub = createHub({ database, log });
  const services: Services = {
    env,
    database,
    hub,
    streams: createOpenStreams({ limits: env.streamLimits, database, log }),
    log,
    startedAt,
    version: manifest.version,
    stopSignal: stopController.signal,
  };
  const source = env.isProduction ? await builtFiles(projectRoot) : await developmentBuild(server);
  server.off("request", answerNotReady);
  server.on("request", createFront(services, source, projectRoot));

  const stopScheduler = startScheduler({
    database,
    log,
    ownOrigin: ownOrigin(server.address(), env),
    cronSecret: env.cronSecret,
    daily: backend.isEmbedded,
  });
  stopOnSignals({
    server,
    log,
    stopController,
    async release() {
      await stopScheduler();
      await hub.close();
      await backend.stop();
    },
  });
  log.info({ origin: env.appOrigin, port: env.port }, "ready");
}

function listen(server: ReturnType<typeof createHttpServer>, env: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new PortTakenError(env.port) : error);
    });
    server.listen(env.port, env.host, resolve);
  });
}

/** Until everything is up, so that nobody waits for an answer that never comes. */
function answerNotReady(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "retry-after": "1", "content-type": "application/json" });
  response.end(JSON.stringify({ error: "The service is starting; try again.", code: 503 }));
}

class PortTakenError extends Error {
  constructor(port: number) {
    super(`Port ${port} is taken: stop what listens there, or choose another one with PORT=...`);
  }
}

/** Where this process reaches itself, whatever the public address is. */
function ownOrigin(address: AddressInfo | string | null, env: Env): string {
  const host = ["0.0.0.0", "::"].includes(env.host) ? "127.0.0.1" : env.host;
  const port = typeof address === "object" && address ? address.port : env.port;
  return `http://${bracketed(host)}:${port}`;
}

start().catch((error: unknown) => {
  const isExpected = error instanceof EnvironmentError || error instanceof PortTakenError;
  process.stderr.write(`${isExpected ? error.message : String(error)}\n`);
  if (!isExpected && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
