import { createHash, randomBytes, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Database } from "~/db/database.server";
import { type Env, readEnv } from "~/env.server";
import { sealSessionCookies } from "~/http/session.server";
import { Metrics } from "~/metrics/metrics.server";
import { createHub } from "~/realtime/hub.server";
import { createFront } from "~/server/front";
import { HttpServer, stopGracefully } from "~/server/http-server";
import { createLog } from "~/server/log";
import { UploadPlaces } from "~/server/upload-places";
import type { WorkerFile } from "~/server/worker-file.server";
import type { Services } from "~/services.server";
import { createOpenStreams } from "~/sse/open-streams.server";
import type { TestDatabase } from "./database";
import { routesFromSources } from "./route-build";
import type { TestUser } from "./users";

export interface TestApp {
  /** Where the app answers, for example `http://127.0.0.1:41234`. */
  origin: string;
  port: number;
  services: Services;
  cronSecret: string;
  /** Lines of the app's log, newest last. */
  logLines: string[];
  /** A request; `path` starts with a slash. Redirects are not followed. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the app before the file does, as a signal would. */
  stop(): Promise<void>;
}

export interface TestAppOptions {
  /** Which pages are loaded next to /api and /mcp: none (the fastest, and the default), all, or these folders. */
  pages?: boolean | readonly string[];
  /** Environment variables on top of the defaults, for example `{ TRUST_PROXY: "loopback" }`. */
  variables?: Record<string, string>;
  /** Another database than that of the test, for example one that is not there. */
  database?: Database;
  /** Changes to the checked environment, for what no variable can say. */
  env?: Partial<Env>;
  /** The worker that can be downloaded: none unless the test has built it. */
  workerFile?: WorkerFile;
  /** How often the hub compares what came with what was sent. */
  compareMs?: number;
}

/** The whole front over a test database, on a free port; stopped after the last test of the file. */
export async function startTestApp(
  t: TestDatabase,
  options: TestAppOptions = {},
): Promise<TestApp> {
  const build = await routesFromSources({ pages: options.pages ?? false });
  const server = new HttpServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });

  const cronSecret = randomBytes(24).toString("base64url");
  const env = {
    ...readEnv({
      NODE_ENV: "production",
      PORT: String(port),
      SESSION_SECRET: randomBytes(32).toString("base64url"),
      CRON_SECRET: cronSecret,
      ...options.variables,
    }),
    ...options.env,
  };
  const logLines: string[] = [];
  const log = createLog("info", { write: (line: string) => void logLines.push(line) });
  const stopController = new AbortController();
  const metrics = new Metrics();
  const database = metrics.calls.measure(options.database ?? t.database);
  const services: Services = {
    env,
    database,
    hub: createHub({ database, log, compareMs: options.compareMs }),
    streams: createOpenStreams({ limits: env.streamLimits, database, log }),
    log,
    metrics,
    startedAt: new Date(),
    version: "0.0.0-test",
    uploads: new UploadPlaces(),
    workerFile: options.workerFile ?? null,
    stopSignal: stopController.signal,
  };
  const source = { load: async () => build, developmentFiles: undefined };
  const root = fileURLToPath(new URL("../..", import.meta.url));
  server.on("request", createFront(services, source, root));

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopGracefully({
      server,
      log,
      stopController,
      release: () => services.hub.close(),
    });
    return stopping;
  };
  afterAll(stop);

  const origin = `http://127.0.0.1:${port}`;
  const request = (path: string, init?: RequestInit) =>
    fetch(`${origin}${path}`, { redirect: "manual", ...init });
  return { origin, port, services, cronSecret, logLines, request, stop };
}

/** An API token of the user, good until it is revoked. */
export async function createToken(
  t: Pick<TestDatabase, "sql">,
  user: Pick<TestUser, "id">,
  { expiresAt = null, revoked = false }: { expiresAt?: Date | null; revoked?: boolean } = {},
): Promise<string> {
  const token = `blm_${randomBytes(32).toString("base64url")}`;
  await t.sql.query(
    `insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, revoked_at)
     values ($1, 'test', $2, $3, $4, case when $5 then now() end)`,
    [user.id, token.slice(0, 8), createHash("sha256").update(token).digest(), expiresAt, revoked],
  );
  return token;
}

/** The `Cookie` header of a signed-in browser of the user. */
export async function signIn(
  t: TestDatabase,
  app: TestApp,
  user: Pick<TestUser, "id">,
  { expired = false }: { expired?: boolean } = {},
): Promise<string> {
  const sessionId = randomUUID();
  await t.sql.query(
    `insert into public.user_sessions (id, user_id, user_agent, ip, expires_at)
     values ($1, $2, 'test', '127.0.0.1', now() + case when $3 then '-1 s' else '30 d' end::interval)`,
    [sessionId, user.id, expired],
  );
  const [cookie] = await sealSessionCookies(
    { session_id: sessionId, user_id: user.id, is_demo: false },
    app.services.env,
  );
  return cookie?.split(";")[0] ?? "";
}

/** Headers of a request with a bearer token. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
