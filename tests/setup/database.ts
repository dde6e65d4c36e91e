import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { connectDatabase, type Database } from "~/db/database.server";
import type { Actor } from "~/db/rpc.server";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { urlOf } from "../../supabase/embedded/postgres/cluster";
import type { EmbeddedSecrets } from "../../supabase/embedded/secrets";
import { type SupabaseService, serveSupabase } from "../../supabase/embedded/serve";
import { recreateDatabase, templateName } from "./test-cluster";

export interface TestDatabase {
  /** The database as the app sees it, over the transport of this run. */
  database: Database;
  /** Auth, Data API and (when asked for) Realtime over this database: addresses, keys, fetch. */
  supabase: SupabaseService;
  /** Raw connections as `postgres`, the owner of the tables, whom row level security does not stop. */
  sql: pg.Pool;
  /** For a raw connection as a role: postgres, supabase_admin, authenticator. */
  urlFor(role: string): string;
  /** Someone whom the operations take at their word. */
  actorOf(user: { id: string }): Actor;
  /** Messages that Auth wanted delivered. */
  mails: { to: string; subject: string; text: string }[];
  close(): Promise<void>;
}

export type TransportName = "direct" | "http";

/** The transport of this run: `TRANSPORT=http` sends every call through the Data API. */
export const transportOfRun: TransportName = process.env.TRANSPORT === "http" ? "http" : "direct";

/**
 * A fresh, migrated database for one test file, removed after its last test. Call it at the top of a
 * `describe` or in `beforeAll`; both transports see the same database.
 */
export async function createTestDatabase(
  options: { realtime?: boolean; transport?: TransportName } = {},
): Promise<TestDatabase> {
  const { port, secrets } = cluster();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const urlFor = (role: string) => urlOf(port, secrets.databasePassword, role, name);
  const adminUrl = urlOf(port, secrets.databasePassword, "supabase_admin", "template1");
  await copyTemplate(adminUrl, name);
  const mails: TestDatabase["mails"] = [];
  const supabase = await serveSupabase({
    urlFor,
    secrets,
    siteUrl: "http://127.0.0.1:3000",
    sendMail: async (mail) => void mails.push(mail),
    realtime: options.realtime ?? false,
  });
  const database = openDatabase(supabase, options.transport ?? transportOfRun);
  const sql = new pg.Pool({
    connectionString: urlFor("postgres"),
    max: 50,
    idleTimeoutMillis: 1000,
  });
  sql.on("error", () => undefined);
  const close = onlyOnce(async () => {
    await Promise.all([database.close(), supabase.stop(), sql.end()]);
    await dropDatabase(adminUrl, name);
  });
  afterAll(() => withPatience(close(), name));
  const actorOf = (user: { id: string }) => ({ database, credential: { user_id: user.id } });
  return { database, supabase, sql, urlFor, actorOf, mails, close };
}

/** A database with what a Supabase project has from the start, and nothing of ours. */
export async function createEmptyDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const { port, secrets } = cluster();
  const name = `empty_${randomBytes(6).toString("hex")}`;
  const password = secrets.databasePassword;
  const adminUrl = urlOf(port, password, "supabase_admin", "template1");
  await whileInUse(() => recreateDatabase(adminUrl, name));
  await applyShims(urlOf(port, password, "supabase_admin", name), password);
  return {
    url: urlOf(port, password, "postgres", name),
    remove: () => dropDatabase(adminUrl, name),
  };
}

/** The same database over a chosen transport, for tests that compare the two. */
export function openDatabase(supabase: SupabaseService, transport: TransportName): Database {
  return connectDatabase({
    ...supabase,
    databaseUrl: transport === "direct" ? supabase.databaseUrl : undefined,
  });
}

function cluster(): { port: number; secrets: EmbeddedSecrets } {
  const provided = inject("cluster");
  const secrets: EmbeddedSecrets = JSON.parse(provided.secrets);
  return { port: provided.port, secrets };
}

/** Copies are made one at a time by Postgres; a file that comes in between tries again. */
async function copyTemplate(adminUrl: string, name: string): Promise<void> {
  await whileInUse(() => recreateDatabase(adminUrl, name, templateName));
}

/** A replication connection that was closed a moment ago may still hold its temporary slot. */
async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const drop = `drop database if exists ${pg.escapeIdentifier(name)} with (force)`;
  await whileInUse(async () => void (await client.query(drop)));
  await client.end();
}

/** Tries again while Postgres says that the object is in use (55006), half a minute at most. */
async function whileInUse(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === "55006";
      if (!isBusy || attempt === 300) throw error;
      await pause(100);
    }
  }
}

/** What is left of a database goes with the cluster at the end of the run: that is no reason to fail. */
async function withPatience(closing: Promise<void>, name: string): Promise<void> {
  const patience = new AbortController();
  const late = pause(20_000, "it took longer than 20 s", { signal: patience.signal });
  const closed = closing.then(() => undefined, String);
  const problem = await Promise.race([closed, late.catch(() => undefined)]);
  patience.abort();
  if (problem !== undefined) process.stderr.write(`${name} was not removed: ${problem}\n`);
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
