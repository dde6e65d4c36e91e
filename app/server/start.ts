import { setMaxListeners } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { startChats } from "~/chats/room.server";
import type { Services } from "~/context/services.server";
import { UploadSlots } from "~/context/upload-slots";
import { readWorkerFile } from "~/context/worker-file.server";
import { setupProblemOf } from "~/db/is-answering.server";
import { type Env, EnvironmentError, readEnv } from "~/env.server";
import { Metrics } from "~/metrics/metrics.server";
import { startNoticeSender } from "~/notices/sender.server";
import { bracketed } from "~/own-origins.server";
import { createHub } from "~/realtime/hub.server";
import { OpenStreams } from "~/sse/open-streams.server";
import manifest from "../../package.json";
import { DataFolderProblem } from "../../supabase/embedded/data-folder/problem";
import { projectRoot } from "../../supabase/embedded/project-root";
import { type Backend, openBackend } from "./backend";
import { startBackupSchedule } from "./backup-schedule.server";
import { builtFiles, developmentBuild } from "./build-source";
import { checkRegistration } from "./check-sign-in.server";
import { describeFirstStart, type FirstStart, prepareFirstStart } from "./first-start.server";
import { createFront } from "./front";
import { HttpServer, stopOnSignals } from "./http-server";
import { createLog } from "./log";
import { startIdentitySchedule, startScheduler } from "./scheduler.server";
import { listenWithPreviews } from "./with-previews";

// Node collects the old generation when it is 1.8 times what was alive the last time. By itself it waits for up to four
// times, and keeps 350 MB after an hour of pages for the 70 MB that it needs.
setFlagsFromString("--heap-growing-percent=80");

/** Starts the whole service in this process: database, realtime hub, schedule, notices, HTTP. */
async function start(): Promise<void> {
  const givenEnv = readEnv(process.env);
  const log = createLog(givenEnv.logLevel);
  const server = new HttpServer();
  server.on("request", answerNotReady);
  // Listen first, so that a taken port is reported before anything else starts.
  await listen(server, givenEnv);

  const backend = await openBackend(givenEnv);
  try {
    await requireSetUp(backend);
    await serve({ backend, log, server });
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

/** Stops where no call can ever work; a database that is away may come back. */
async function requireSetUp({ database }: Backend): Promise<void> {
  const problem = await database.call("ping", {}).then(() => undefined, setupProblemOf);
  if (problem !== undefined) throw new EnvironmentError([problem]);
}

type Parts = { backend: Backend; log: Logger; server: Server };

async function serve({ backend, log, server }: Parts): Promise<void> {
  const { env } = backend;
  const metrics = new Metrics();
  const database = metrics.calls.measure(backend.database);
  const firstStart = backend.isEmbedded ? await prepareFirstStart(database) : null;
  const stopController = new AbortController();
  // Every stream and long poll listens to this signal, so lift Node's listener warning.
  setMaxListeners(0, stopController.signal);
  const hub = createHub({ database, log });
  const services: Services = {
    env,
    database,
    hub,
    streams: new OpenStreams({ limits: env.streamLimits, database, log }),
    log,
    metrics,
    version: manifest.version,
    uploads: new UploadSlots(),
    workerFile: await readWorkerFile(import.meta.dirname),
    stopSignal: stopController.signal,
  };
  const source = env.isProduction ? await builtFiles(projectRoot) : await developmentBuild(server);
  server.off("request", answerNotReady);
  listenWithPreviews(server, services, createFront(services, source, projectRoot));

  const stopBackgroundWork = startBackgroundWork(services, server, backend.isEmbedded);
  stopOnSignals({
    server,
    log,
    stopController,
    async release() {
      await stopBackgroundWork();
      await hub.close();
      await backend.stop();
    },
  });
  log.info({ origin: env.appOrigin, port: env.port }, "ready");
  await announce(env, firstStart);
}

/** Starts the sweep, daily entries, outbox, backups and identity checks. Any number of processes may run them at the same time. */
function startBackgroundWork(
  { database, log, env }: Services,
  server: Server,
  isEmbedded: boolean,
): () => Promise<void> {
  const stopScheduler = startScheduler({
    database,
    log,
    ownOrigin: ownOrigin(server.address(), env),
    cronSecret: env.cronSecret,
    daily: isEmbedded,
  });
  const { vapid, allowPrivateDestinations, backups } = env;
  const stopSender = startNoticeSender({ database, log, vapid, allowPrivateDestinations });
  const folder = import.meta.dirname;
  const stopBackups = isEmbedded ? startBackupSchedule({ database, log, backups, folder }) : async () => undefined;
  const stopChats = startChats({ database, log, env });
  const stopIdentityChecks = startIdentitySchedule({ database, log, env });
  return async () => {
    stopIdentityChecks();
    await Promise.all([stopScheduler(), stopSender(), stopBackups(), stopChats()]);
  };
}

/** Prints for the person at the terminal: the address, who can register, and on first start what was created. */
async function announce(env: Env, firstStart: FirstStart | null): Promise<void> {
  const lines = firstStart ? describeFirstStart(firstStart, env.appOrigin) : [];
  const door = await checkRegistration(env);
  const about = [`Backloom is ready at ${env.appOrigin}`, doors[env.registration]];
  if (!door.ok) about.push(`Warning: ${door.message}.`);
  process.stdout.write(`${[...about, ...lines].join("\n")}\n`);
}

const doors = {
  open: "Registration is open: anyone who can reach this URL can create an account (REGISTRATION=open).",
  invite:
    "Registration is by invitation: accounts come from invitation links or an administrator (REGISTRATION=invite).",
  closed: "Registration is closed: an administrator creates accounts (REGISTRATION=closed).",
} as const;

function listen(server: Server, env: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? new PortTakenError(env.port) : error);
    });
    server.listen(env.port, env.host, resolve);
  });
}

/** Answers 503 until everything is up, so that no request hangs. */
function answerNotReady(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "retry-after": "1", "content-type": "application/json" });
  response.end(JSON.stringify({ error: "The service is starting; try again.", code: 503 }));
}

class PortTakenError extends Error {
  constructor(port: number) {
    super(`Port ${port} is taken: stop what listens there, or choose another one with PORT=...`);
  }
}

/** Origin at which this process reaches itself, independent of the public address. */
function ownOrigin(address: AddressInfo | string | null, env: Env): string {
  const host = ["0.0.0.0", "::"].includes(env.host) ? "127.0.0.1" : env.host;
  const port = typeof address === "object" && address ? address.port : env.port;
  return `http://${bracketed(host)}:${port}`;
}

start().catch((error: unknown) => {
  const isExpected = [EnvironmentError, PortTakenError, DataFolderProblem].some((problem) => error instanceof problem);
  process.stderr.write(`${isExpected && error instanceof Error ? error.message : String(error)}\n`);
  if (!isExpected && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
