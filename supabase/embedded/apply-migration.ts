import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import type { MigrationFile } from "./migrations";

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

export async function recordMigration(client: pg.Client, file: MigrationFile, sql: string) {
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
