import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import manifest from "../../package.json";
import { DataFolderProblem } from "./data-folder/problem";
import {
  compareMigrations,
  listMigrations,
  type MigrationFile,
  type RecordedMigration,
  recordedMigrations,
} from "./migrations";
import { type Rules, readRules } from "./rules";
import { splitStatements } from "./statements";

/** What a migration did: the files it recorded, and the rules it applied with the seconds that they took. */
export type MigrationReport = { applied: number; rules?: { hash: string; seconds: number } };

/**
 * To the newest step and this program's rules, in one transaction, in the records of the Supabase CLI, which may be
 * used as well. Refuses a database of other sources, because its tables would not match.
 */
export async function migrateDatabase(migrationUrl: string | pg.ClientConfig): Promise<MigrationReport> {
  const client = new pg.Client(migrationUrl);
  // A lost connection fails the query that waits for it, which says so.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await adoptSquashedRelease(client, await recordedMigrations(client));
    const { pending, newer, foreign } = await compareMigrations(await recordedMigrations(client));
    refuseOthers(newer, foreign);
    const rules = await readRules(manifest.version);
    if (pending.length === 0 && (await appliedRules(client)) === rules.hash) return { applied: 0 };
    const late = await addValues(client, pending);
    const begun = performance.now();
    await applyAll(client, pending, late, rules);
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    return { applied: pending.length, rules: { hash: rules.hash, seconds } };
  } finally {
    await client.end();
  }
}

/** The hash of the rules that a database has, or null where none were applied. */
export async function appliedRules(client: pg.ClientBase): Promise<string | null> {
  const table = await client.query("select to_regclass('private.applied_rules') is not null as found");
  if (!table.rows[0]?.found) return null;
  const { rows } = await client.query<{ hash: string }>(
    "select hash from private.applied_rules order by applied_at desc, id desc limit 1",
  );
  return rows[0]?.hash ?? null;
}

function refuseOthers(newer: readonly string[], foreign: readonly string[]): void {
  if (newer.length > 0) {
    throw new DataFolderProblem(
      `The database was made by a newer Backloom (migration ${newer[0]} is not known here): start that version or a later one.`,
    );
  }
  if (foreign.length > 0) {
    throw new DataFolderProblem(
      `The database was made by another development version (${foreign.length} migrations are not known here, first ${foreign[0]}). ` +
        "Start that version once more, export your products (npm run admin -- export), then import them into an empty one.",
    );
  }
}

/** The last migration that a release recorded, where its many were squashed later, and the file that stands for them. */
const squashed: ReadonlyMap<string, string> = new Map([
  ["20261121089000", "20261121090000"],
  ["20261123063654", "20261123100000"],
]);

/** Replaces the records of a squashed release with those of today's files, atomically. Ignores other databases. */
async function adoptSquashedRelease(client: pg.Client, recorded: readonly RecordedMigration[]): Promise<void> {
  const newest = squashed.get(recorded.at(-1)?.version ?? "");
  if (newest === undefined) return;
  const files = (await listMigrations()).filter(({ version }) => version <= newest);
  await inTransaction(client, async () => {
    await client.query("delete from supabase_migrations.schema_migrations");
    for (const file of files) await recordMigration(client, file, await readFile(file.path, "utf8"));
  });
}

/** A new value must be committed before it is named. Returns files whose types a step makes: those come first. */
async function addValues(client: pg.Client, pending: readonly MigrationFile[]): Promise<ReadonlySet<string>> {
  const late = new Set<string>();
  for (const file of pending.filter(({ name }) => name.endsWith("_values"))) {
    for (const { text } of splitStatements(await readFile(file.path, "utf8"))) {
      await client.query(text).catch((error: unknown) => {
        const isUnknownType = error instanceof pg.DatabaseError && error.code === "42704";
        if (!isUnknownType) throw error;
        late.add(file.version);
      });
    }
  }
  return late;
}

/** Steps alter tables, which views, triggers and policies hold: these go first, and come back at the end. */
async function applyAll(
  client: pg.Client,
  pending: readonly MigrationFile[],
  late: ReadonlySet<string>,
  rules: Rules,
): Promise<void> {
  await inTransaction(client, async () => {
    await takeTables(client);
    await client.query("create schema if not exists private");
    await client.query(rules.drop);
    for (const file of pending) {
      const sql = isRules(file) ? "" : await readFile(file.path, "utf8");
      if (late.has(file.version)) await client.query("commit");
      await client.query(sql).catch((error: unknown) => {
        throw migrationFailure(file, sql, error);
      });
      if (late.has(file.version)) {
        await client.query("begin");
        await takeTables(client);
      }
      await recordMigration(client, file, sql);
    }
    await client.query(rules.drop);
    await client.query(rules.create);
  });
}

/** The Supabase CLI runs the rules of a release from this file; here they come from the schemas. */
const isRules = ({ name }: MigrationFile): boolean => name === "rules";

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** The Supabase CLI's table of applied migrations, so that the CLI and this program can both be used. */
const records = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (
    version text not null primary key, statements text[], name text
  )`;

/** Error of a failed migration, with its file and the line within the sent text. */
function migrationFailure(file: MigrationFile, sent: string, error: unknown): Error {
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
 * A migration changes all tables while a service may be running: a call that holds one and waits for another would be
 * a deadlock. Calls wait two seconds and are repeated; this waits for less, gives back what it has, and tries again.
 * First come the tables that each call asks first, in that order, so that no new call gets between.
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
