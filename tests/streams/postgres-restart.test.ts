import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { serveSupabase } from "../../supabase/embedded/serve";
import { startTestApp } from "../setup/app";
import { recreateDatabase } from "../setup/test-cluster";
import { makersOf } from "../setup/world";
import { openStream } from "./stream-reader";
import { createTask, createWorld } from "./world";

const name = "restarted";

/** A Postgres of this file's own, because the others share one that must not go away. */
async function startOwnDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-restart-"));
  const secrets = await loadSecrets(dataDir);
  const password = secrets.databasePassword;
  const cluster = await startCluster({ dataDir, password });
  await recreateDatabase(cluster.url("supabase_admin", "template1"), name);
  await applyShims(cluster.url("supabase_admin", name), password);
  await migrateDatabase(cluster.url("postgres", name));

  const urlFor = (role: string) => cluster.url(role, name);
  const supabase = await serveSupabase({
    urlFor,
    secrets,
    siteUrl: "http://127.0.0.1:3000",
    sendMail: async () => {},
    realtime: true,
  });
  const database = connectDatabase({ ...supabase });
  const sql = new pg.Pool({ connectionString: urlFor("postgres") });
  sql.on("error", () => {});
  const actorOf = (user: { id: string }) => ({ database, credential: { user_id: user.id } });
  const store = { database, sql, actorOf };
  const t = {
    ...store,
    ...makersOf(store),
    urlFor,
    async close() {
      await Promise.all([database.close(), supabase.stop(), sql.end()]);
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return { t, cluster };
}

const { t, cluster } = await startOwnDatabase();
const app = await startTestApp(t);

afterAll(async () => {
  await app.stop();
  await t.close();
});

async function signalPostgres(signal: "SIGINT" | "SIGKILL"): Promise<void> {
  const old = cluster.pid();
  process.kill(old, signal);
  await expect.poll(() => cluster.pid()).not.toBe(old);
}

async function endConnections(): Promise<void> {
  const admin = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await admin.connect();
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await admin.end();
}

async function answered(): Promise<void> {
  await expect
    .poll(
      () =>
        t.sql
          .query("select 1")
          .then(() => true)
          .catch(() => false),
      { timeout: 30_000 },
    )
    .toBe(true);
}

describe("Postgres goes away while streams are open (S3)", () => {
  it.each([
    ["restarted", () => signalPostgres("SIGINT")],
    ["killed", () => signalPostgres("SIGKILL")],
    ["with all its connections ended", endConnections],
  ])(
    "Postgres %s: every stream greets anew and goes on, and nothing that was answered is lost",
    async (_name, leave) => {
      const w = await createWorld(t);
      const headers = await t.bearerOf(w.member);
      const readers = await Promise.all(
        ["solo", "backlog"].map((stream) =>
          openStream(`${app.origin}/api/realtime/${stream}?product_id=${w.productId}`, headers),
        ),
      );
      await Promise.all(readers.map((reader) => reader.nextNamed("ready")));
      const before = await createTask(t, w.storyId, "answered before");
      await leave();
      await answered();
      const between = await createTask(t, w.storyId, "perhaps before the streams are back");

      await Promise.all(readers.map((reader) => reader.nextNamed("ready")));
      const after = await createTask(t, w.storyId, "after");
      await Promise.all(readers.map((reader) => reader.nextWhere(({ data }) => data.id === after)));
      const rows = await t.query`select id from public.tasks where id = any(${[before, between, after]})`;
      expect(rows).toHaveLength(3);
      for (const reader of readers) reader.close();
    },
    60_000,
  );
});
