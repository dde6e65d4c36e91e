import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { projectRoot } from "./project-root";

export const migrationsFolder = join(projectRoot, "supabase/migrations");

export interface MigrationFile {
  version: string;
  name: string;
  path: string;
}

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
export interface RecordedMigration {
  version: string;
  name: string;
  /** Its text without whitespace and semicolons. */
  essence: string;
}

/** Comparison of the files with the database's records. */
export interface MigrationState {
  /** Not applied yet. */
  pending: MigrationFile[];
  /** Applied and newer than every file: from a later program. */
  newer: string[];
  /** Applied with another text, or without a file: from other sources. */
  foreign: string[];
}

export async function compareMigrations(
  recorded: readonly RecordedMigration[],
): Promise<MigrationState> {
  const files = await listMigrations();
  const applied = new Map(recorded.map((migration) => [migration.version, migration]));
  const known = new Set(files.map((file) => file.version));
  const newest = files.at(-1)?.version ?? "";
  const unknown = [...applied.keys()].filter((version) => !known.has(version));
  const changed = await namesOfChanged(files, applied);
  return {
    pending: files.filter((file) => !applied.has(file.version)),
    newer: unknown.filter((version) => version > newest),
    foreign: [...unknown.filter((version) => version < newest), ...changed],
  };
}

async function namesOfChanged(
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, RecordedMigration>,
): Promise<string[]> {
  const changed: string[] = [];
  for (const file of files) {
    const recorded = applied.get(file.version);
    if (recorded === undefined) continue;
    const text = essenceOf(await readFile(file.path, "utf8"));
    if (text !== recorded.essence) changed.push(`${file.version}_${file.name}`);
  }
  return changed;
}

/** Normalizes SQL for comparison, because the Supabase CLI records statements without the text between them. */
export function essenceOf(sql: string): string {
  return sql.replace(/[\s;]+/g, "");
}

/** Lists the recorded migrations in order. Empty for a database that was never migrated. */
export async function recordedMigrations(client: pg.Client): Promise<RecordedMigration[]> {
  const table = await client.query<{ found: boolean }>(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as found",
  );
  if (!table.rows[0]?.found) return [];
  const { rows } = await client.query<{ version: string; name: string | null; text: string }>(
    `select version, name, array_to_string(statements, '') as text
     from supabase_migrations.schema_migrations order by version collate "C"`,
  );
  return rows.map(({ version, name, text }) => ({
    version,
    name: name ?? "",
    essence: essenceOf(text),
  }));
}
