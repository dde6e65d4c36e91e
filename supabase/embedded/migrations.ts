import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { projectRoot } from "./project-root";

export const migrationsFolder = join(projectRoot, "supabase/migrations");

export type MigrationFile = { version: string; name: string; path: string };

/** Lists the migration files in the order in which the Supabase CLI applies them. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const names = (await readdir(migrationsFolder)).sort();
  return names.flatMap((file) => {
    const match = /^(\d+)_(.*)\.sql$/.exec(file);
    if (!match?.[1] || match[2] === undefined) return [];
    return [{ version: match[1], name: match[2], path: join(migrationsFolder, file) }];
  });
}

/** A migration as recorded in the database. */
export type RecordedMigration = { version: string; name: string };

/** Comparison of the files with the database's records. */
export interface MigrationState {
  /** Not applied yet. */
  pending: MigrationFile[];
  /** Applied and newer than every file: from a later program. */
  newer: string[];
  /** Applied under another name, or without a file: from other sources. */
  foreign: string[];
}

export async function compareMigrations(recorded: readonly RecordedMigration[]): Promise<MigrationState> {
  const files = await listMigrations();
  const names = new Map(files.map(({ version, name }) => [version, name]));
  const applied = new Set(recorded.map(({ version }) => version));
  const newest = files.at(-1)?.version ?? "";
  const unknown = recorded.filter(({ version, name }) => names.get(version) !== name);
  return {
    pending: files.filter((file) => !applied.has(file.version)),
    newer: unknown.filter(({ version }) => version > newest).map(({ version }) => version),
    foreign: unknown.filter(({ version }) => version <= newest).map(({ version, name }) => `${version}_${name}`),
  };
}

/** Lists the recorded migrations in order. Empty for a database that was never migrated. */
export async function recordedMigrations(client: pg.Client): Promise<RecordedMigration[]> {
  const table = await client.query<{ found: boolean }>(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as found",
  );
  if (!table.rows[0]?.found) return [];
  const { rows } = await client.query<RecordedMigration>(
    `select version, coalesce(name, '') as name
     from supabase_migrations.schema_migrations order by version collate "C"`,
  );
  return rows;
}
