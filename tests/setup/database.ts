import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { connectDatabase, type Database, type DatabaseOptions } from "~/db/database.server";
import type { Upstream } from "~/db/upstream";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { urlOf } from "../../supabase/embedded/postgres/cluster";
import type { EmbeddedSecrets } from "../../supabase/embedded/secrets";
import { type SupabaseService, serveSupabase } from "../../supabase/embedded/serve";
import { atTheEnd } from "./at-the-end";
import { type RealtimeOptions, startRealtimeServer } from "./realtime/server";
import { authProgram, openSupabaseAuth, type SupabaseAuthOptions } from "./supabase-auth";
import { recreateDatabase, templateName } from "./test-cluster";
import { makersOf, type WorldStore } from "./world";

export interface TestDatabase extends WorldStore {
  /** Auth, Data API and (when asked for) what changes in this database: addresses, keys, fetch. */
  supabase: SupabaseService;
  /** For a raw connection as a role: postgres, supabase_admin, authenticator. */
  urlFor(role: string): string;
  /** Messages that Auth wanted delivered. */
  mails: { to: string; subject: string; text: string; html?: string }[];
  close(): Promise<void>;
}

export type TransportName = "direct" | "session" | "http";

/** The transport of this run: that of `npm start`, or with `TRANSPORT=http` the Data API. */
export const transportOfRun: TransportName = process.env.TRANSPORT === "http" ? "http" : "session";

/** Changes come over a WebSocket, as from a hosted project, which has these habits. */
export type HostedRealtime = Pick<RealtimeOptions, "begins" | "drops">;

/**
 * A fresh, migrated database for one test file, removed after its last test. Call it at the top of a
 * `describe` or in `beforeAll`; both transports see the same database.
 */
export async function createTestDatabase(
  options: {
    realtime?: boolean | HostedRealtime;
    transport?: TransportName;
    /** Variables of Supabase Auth, for tests that need the program itself. */
    auth?: Record<string, string>;
  } = {},
): Promise<TestDatabase> {
  const { port, secrets } = cluster();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const urlFor = (role: string) => urlOf(port, secrets.databasePassword, role, name);
  const adminUrl = urlOf(port, secrets.databasePassword, "supabase_admin", "template1");
  await copyTemplate(adminUrl, name);
  const mails: TestDatabase["mails"] = [];
  const transport = options.transport ?? transportOfRun;
  const realtime = options.realtime === true && transport === "http" ? {} : options.realtime;
  const served = {
    urlFor,
    secrets,
    siteUrl: "http://127.0.0.1:3000",
    sendMail: async (mail: TestDatabase["mails"][number]) => void mails.push(mail),
  };
  const embedded = withAuth(await serveSupabase({ ...served, realtime: realtime === true }), {
    ...served,
    settings: options.auth,
  });
  const supabase = typeof realtime === "object" ? await withRealtime(embedded, urlFor, realtime) : embedded;
  const database = openDatabase(supabase, transport);
  if (realtime === true && database.upstream) await joined(database.upstream);
  const sql = new pg.Pool({ connectionString: urlFor("postgres"), max: 50, idleTimeoutMillis: 1000 });
  sql.on("error", () => undefined);
  const close = onlyOnce(async () => {
    const raw = await rawFailures(sql);
    await Promise.all([database.close(), supabase.stop(), sql.end()]);
    await dropDatabase(adminUrl, name);
    if (raw.length > 0) throw new Error(`A failure has a program's raw words: ${raw.join("\n")}`);
  });
  atTheEnd(close);
  const actorOf = (user: { id: string }) => ({ database, credential: { user_id: user.id } });
  const makers = makersOf({ database, sql, actorOf });
  return { ...makers, database, supabase, sql, urlFor, actorOf, mails, close };
}

/** Reasons in which people read what a validator or a stack said, whichever test made them. */
async function rawFailures(sql: pg.Pool): Promise<string[]> {
  const words = '"code": ?"invalid_|ZodError|TypeError: |\\n +at .*(worker|backloom-worker)';
  const read = sql.query<{ reason: string }>(
    `select left(x.reason, 500) as reason
     from (select failure_reason as reason from public.agent_jobs
       union all select failure_reason from public.task_executions
       union all select pause_context ->> 'reason' from public.sprint_runs) x
     where x.reason ~ $1`,
    [words],
  );
  // A test that breaks its database has nothing to read here.
  return read.then(
    ({ rows }) => rows.map(({ reason }) => reason),
    () => [],
  );
}

/** With SUPABASE_AUTH_PROGRAM, Auth itself answers in place of its stand-in. */
function withAuth(service: SupabaseService, options: SupabaseAuthOptions): SupabaseService {
  if (!authProgram) return service;
  const auth = openSupabaseAuth(authProgram, options);
  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const isForAuth = new URL(request.url).pathname.startsWith("/auth/v1/");
    return isForAuth ? auth.fetch(request) : service.fetch(request);
  };
  const stop = async () => {
    await auth.stop();
    await service.stop();
  };
  return { ...service, fetch: answer, stop };
}

async function withRealtime(
  service: SupabaseService,
  urlFor: TestDatabase["urlFor"],
  habits: HostedRealtime,
): Promise<SupabaseService> {
  const databaseUrl = urlFor("supabase_admin");
  const realtime = await startRealtimeServer({ ...service, databaseUrl, ...habits });
  const stop = async () => {
    await realtime.stop();
    await service.stop();
  };
  return { ...service, supabaseUrl: `http://127.0.0.1:${realtime.port}`, stop };
}

/** Transactions of other files delay the beginning of events, longer than the first stream of a file would wait. */
function joined(upstream: Upstream): Promise<void> {
  return new Promise((resolve) => {
    const onJoined = () => {
      setImmediate(() => leave());
      resolve();
    };
    const leave = upstream.join("begun", { joined: onJoined, lost: () => undefined, message: () => undefined });
  });
}

/** A database with what a Supabase project has from the start, and nothing of ours. */
export async function createEmptyDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const { port, secrets } = cluster();
  const name = `empty_${randomBytes(6).toString("hex")}`;
  const password = secrets.databasePassword;
  const adminUrl = urlOf(port, password, "supabase_admin", "template1");
  await recreateDatabase(adminUrl, name);
  // Roles belong to the whole Postgres, so files take turns.
  await asAdmin(adminUrl, async (client) => {
    await client.query("select pg_advisory_lock(hashtext('roles of the shims'))");
    await applyShims(urlOf(port, password, "supabase_admin", name), password);
  });
  return { url: urlOf(port, password, "postgres", name), remove: () => dropDatabase(adminUrl, name) };
}

/** The same database over a chosen transport, for tests that compare them. */
export function openDatabase(
  supabase: SupabaseService,
  transport: TransportName,
  options: Pick<DatabaseOptions, "fileRoom"> = {},
): Database {
  return connectDatabase({
    ...supabase,
    ...options,
    databaseUrl: transport === "http" ? undefined : supabase.databaseUrl,
    connectionKind: transport === "session" ? "session" : "transaction",
  });
}

function cluster(): { port: number; secrets: EmbeddedSecrets } {
  const provided = inject("cluster");
  const secrets: EmbeddedSecrets = JSON.parse(provided.secrets);
  return { port: provided.port, secrets };
}

/** Postgres copies a template for one at a time and refuses the others, so files take turns. */
async function copyTemplate(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    await client.query("select pg_advisory_lock(hashtext('copy of the template'))");
    const copy = `owner postgres template ${pg.escapeIdentifier(templateName)} strategy file_copy`;
    await client.query(`create database ${pg.escapeIdentifier(name)} ${copy}`);
  });
}

/**
 * The temporary slot of a replication connection lives longer than the connection, and holds the database: one that just begins
 * waits for transactions of other files.
 */
async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    const slots = "select pg_terminate_backend(active_pid) from pg_replication_slots where database = $1";
    while ((await client.query(slots, [name])).rowCount) await pause(20);
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  });
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
