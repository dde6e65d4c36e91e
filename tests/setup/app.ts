import { randomBytes, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Services } from "~/context/services.server";
import { UploadSlots } from "~/context/upload-slots";
import type { WorkerFile } from "~/context/worker-file.server";
import type { Database } from "~/db/database.server";
import { type Env, readEnv } from "~/env.server";
import { sealSessionCookies } from "~/http/session.server";
import { Metrics } from "~/metrics/metrics.server";
import { createHub } from "~/realtime/hub.server";
import { createFront } from "~/server/front";
import { HttpServer, stopGracefully } from "~/server/http-server";
import { createLog } from "~/server/log";
import { listenWithPreviews } from "~/server/with-previews";
import { OpenStreams } from "~/sse/open-streams.server";
import { atTheEnd } from "./at-the-end";
import { createTestDatabase, type HostedRealtime } from "./database";
import { createVisitor, type Visitor } from "./page-forms";
import { portOf } from "./port-of";
import { routesFromSources } from "./route-build";
import type { Store } from "./world";

type FormFields = Record<string, string> | [name: string, value: string][];

export interface TestApp {
  /** Where the app answers, for example `http://127.0.0.1:41234`. */
  origin: string;
  port: number;
  services: Services;
  cronSecret: string;
  logLines: string[];
  /** A request; `path` starts with a slash. Redirects are not followed. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** A request with a body of JSON; a text is sent as it is. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a form, as a page of the app does. */
  submit(path: string, fields: FormFields, headers?: Record<string, string>): Promise<Response>;
  /** The `Cookie` header of a signed-in browser of the user. */
  signIn(user: { id: string }, options?: { expired?: boolean }): Promise<string>;
  visitorOf(user: { id: string }): Promise<Visitor>;
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

/** Variables of a project whose Auth sends messages; what is asked of it goes to the test database all the same. */
export const hostedProject = {
  supabase: { url: "https://project.example", publishableKey: "", secretKey: "", dbUrl: undefined, dbConnections: 4 },
};

/** The whole front over a test database, on a free port; stopped after the last test of the file. */
export async function startTestApp(t: Store, options: TestAppOptions = {}): Promise<TestApp> {
  const build = await routesFromSources({ pages: options.pages ?? false });
  const server = new HttpServer();
  const port = await portOf(server);

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
    streams: new OpenStreams({ limits: env.streamLimits, database, log }),
    log,
    metrics,
    version: "0.0.0-test",
    uploads: new UploadSlots(),
    workerFile: options.workerFile ?? null,
    stopSignal: stopController.signal,
  };
  const source = { load: async () => build, developmentFiles: undefined };
  const root = fileURLToPath(new URL("../..", import.meta.url));
  listenWithPreviews(server, services, createFront(services, source, root));

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopGracefully({ server, log, stopController, release: () => services.hub.close() });
    return stopping;
  };
  atTheEnd(stop);

  const origin = `http://127.0.0.1:${port}`;
  const request = (path: string, init?: RequestInit) => fetch(`${origin}${path}`, { redirect: "manual", ...init });
  const send: TestApp["send"] = (method, path, body, headers) =>
    request(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const submit: TestApp["submit"] = (path, fields, headers) =>
    request(path, { method: "POST", headers: { origin, ...headers }, body: new URLSearchParams(fields) });
  const signIn = async (user: { id: string }, { expired = false } = {}) => {
    const sessionId = randomUUID();
    await t.sql.query(
      `insert into public.user_sessions (id, user_id, user_agent, ip, expires_at)
       values ($1, $2, 'test', '127.0.0.1', now() + case when $3 then '-1 s' else '30 d' end::interval)`,
      [sessionId, user.id, expired],
    );
    const session = { session_id: sessionId, user_id: user.id, is_demo: false };
    const [cookie] = await sealSessionCookies(session, env);
    return cookie?.split(";")[0] ?? "";
  };
  const visitorOf = async (user: { id: string }) => createVisitor({ request, submit }, await signIn(user));
  const address = { origin, port, services, cronSecret, logLines };
  return { ...address, request, send, submit, signIn, visitorOf, stop };
}

export async function openApp({ realtime, ...options }: TestAppOptions & { realtime?: boolean | HostedRealtime } = {}) {
  const t = await createTestDatabase({ realtime });
  return { t, app: await startTestApp(t, options) };
}

/** The app with a backlog, its owner and a token of theirs. */
export async function openBacklog(options: Parameters<typeof openApp>[0] = {}) {
  const { t, app } = await openApp(options);
  const owner = await t.createUser();
  const [actor, token] = [t.actorOf(owner), await t.createToken(owner)];
  return { t, app, owner, actor, token, backlog: await t.seedBacklog(owner) };
}
