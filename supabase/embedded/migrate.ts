import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import pg from "pg";
import { DataFolderProblem } from "./data-folder/problem";
import {
  compareMigrations,
  listMigrations,
  type MigrationFile,
  migrationsFolder,
  type RecordedMigration,
  recordedMigrations,
} from "./migrations";

/**
 * Migrates the database to the newest migration and returns how many were applied. Uses the records of the Supabase
 * CLI, which may be used on the same database. Refuses a database made from other sources, because its functions would
 * not match this program's calls.
 */
export async function migrateDatabase(migrationUrl: string | pg.ClientConfig): Promise<number> {
  const client = new pg.Client(migrationUrl);
  await client.connect();
  try {
    await adoptSquashedRelease(client, await recordedMigrations(client));
    const { pending, newer, foreign } = await compareMigrations(await recordedMigrations(client));
    refuseOthers(newer, foreign);
    for (const file of pending) await applyMigration(client, file);
    return pending.length;
  } finally {
    await client.end();
  }
}

function refuseOthers(newer: readonly string[], foreign: readonly string[]): void {
  if (newer.length > 0) {
    throw new DataFolderProblem(
      `The database was made by a newer Backloom (migration ${newer[0]} is not known here): start that version or a later one.`,
    );
  }
  if (foreign.length > 0) {
    throw new DataFolderProblem(
      `The database was made by another development version (${foreign.length} migrations differ, first ${foreign[0]}). ` +
        "Start that version once more, export your products (npm run admin -- export), then import them into an empty one.",
    );
  }
}

interface SquashedRelease {
  name: string;
  count: number;
  fingerprint: string;
  /** What its last steps lack, where it stopped before the release. */
  catchUp?: { values?: string; file: string };
}

/**
 * Releases that recorded many migrations, now squashed: the files up to `name` build the same database. A database
 * belongs to a release if count and fingerprint (version, name and text of each record) match.
 */
const releases: readonly SquashedRelease[] = [
  {
    name: "release_0_1_0",
    count: 449,
    fingerprint: "fc999f8975925061209782c8e1193e820bb44e18249dc13cc821b03190e5a050",
  },
  {
    name: "release_0_2_0",
    count: 72,
    fingerprint: "2cc7787b32da35180b45c78eca200e587b682f2843cc85c01a35ae5d84f9043e",
  },
  {
    name: "release_0_3_0",
    count: 56,
    fingerprint: "d9105719c120d6d26b9c09c42753515c5dc2d73d85b97baca769db7c1b5f5348",
    catchUp: {
      // New values of a type must be committed before anything names them.
      values: `alter type public.confinement add value if not exists 'bwrap_open' after 'none';
        alter type public.confinement add value if not exists 'docker_open' after 'bwrap_open'`,
      file: "unreleased/2026-11-25_to_0_3_0.sql",
    },
  },
  {
    name: "release_0_4_0",
    count: 47,
    fingerprint: "c3ee1ef8d12183870c7798bb3ce1ef1d1845f77c1b745c9e4f84ba1770c6a2d6",
    catchUp: { file: "unreleased/2026-11-26_to_0_4_0.sql" },
  },
];

/** Replaces the records of a squashed release with those of today's files, atomically. Ignores other databases. */
async function adoptSquashedRelease(
  client: pg.Client,
  recorded: readonly RecordedMigration[],
): Promise<void> {
  const release = releases.find(({ count }) => count === recorded.length);
  if (!release || release.fingerprint !== fingerprintOf(recorded)) return;
  const files = await listMigrations();
  const last = files.findIndex(({ name }) => name === release.name);
  if (last < 0) throw new Error(`The migration ${release.name} is not there`);
  const { catchUp } = release;
  if (catchUp?.values) await client.query(catchUp.values);
  await client.query("begin");
  try {
    if (catchUp) await client.query(await readFile(join(migrationsFolder, catchUp.file), "utf8"));
    await client.query("delete from supabase_migrations.schema_migrations");
    for (const file of files.slice(0, last + 1)) {
      await recordMigration(client, file, await readFile(file.path, "utf8"));
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

function fingerprintOf(recorded: readonly RecordedMigration[]): string {
  const hash = createHash("sha256");
  for (const { version, name, essence } of recorded) hash.update(`${version} ${name} ${essence}\n`);
  return hash.digest("hex");
}

/** The Supabase CLI's table of applied migrations, so that the CLI and this program can both be used. */
const records = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (
    version text not null primary key, statements text[], name text
  )`;

/** Applies a file and records it in one transaction. Errors name the file and line. */
export async function applyMigration(client: pg.Client, file: MigrationFile): Promise<void> {
  const sql = await readFile(file.path, "utf8");
  await client.query("begin");
  try {
    await takeTables(client);
    await client.query(sql);
    await recordMigration(client, file, sql);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw migrationFailure(file, sql, error);
  }
}

/** Error of a failed migration, with its file and the line within the sent text. */
export function migrationFailure(file: MigrationFile, sent: string, error: unknown): Error {
  return new Error(
    `The migration ${basename(file.path)}${placeOf(error, sent)} could not be applied: ${explain(error)}`,
    { cause: error },
  );
}

async function recordMigration(client: pg.Client, file: MigrationFile, sql: string) {
  await client.query(records);
  await client.query(
    "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, array[$3])",
    [file.version, file.name, sql],
  );
}

function placeOf(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError) || !error.position) return "";
  const before = sql.slice(0, Math.max(0, Number(error.position) - 1));
  return `:${before.split("\n").length}`;
}

function explain(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return String(error);
  return [error.message, error.detail, error.hint, error.where].filter(Boolean).join("\n  ");
}

/**
 * Takes all tables of the project for the transaction of a migration, which changes them one after another while a service
 * may be running. A call that holds one table and waits for another would be a deadlock and end the migration. Calls
 * wait two seconds for a table and are repeated; this waits for less, gives back what it has, and tries again. First
 * come the tables that each call asks first, in that order, so that calls under way end and no new one gets between.
 */
async function takeTables(client: pg.Client): Promise<void> {
  await client.query("set local statement_timeout = 0");
  await client.query(`do $take$
    declare
      v_tables text := (
        select string_agg(c.oid::regclass::text, ', ' order by array_position(array['api_tokens', 'user_sessions', 'users'], c.relname::text), c.oid)
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname in ('public', 'private') and pg_has_role(c.relowner, 'usage'));
      v_until timestamptz := clock_timestamp() + interval '1 minute';
    begin
      while v_tables is not null loop
        begin
          perform set_config('lock_timeout', '300ms', true);
          execute format('lock table %s in access exclusive mode', v_tables);
          perform set_config('lock_timeout', '0', true);
          return;
        exception when lock_not_available or deadlock_detected then
          if clock_timestamp() > v_until then
            raise;
          end if;
          perform pg_sleep(0.05 + random() / 5);
        end;
      end loop;
    end
  $take$`);
}
