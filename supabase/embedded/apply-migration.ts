import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import type { MigrationFile } from "./migrations";
import { takeTables } from "./take-tables";

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
