import { readdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { projectRoot } from "./project-root";

export const migrationsFolder = join(projectRoot, "supabase/migrations");

export interface MigrationFile {
  version: string;
  name: string;
  path: string;
}

/** The migration files in the order in which the Supabase CLI applies them. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const names = (await readdir(migrationsFolder)).sort();
  return names.flatMap((file) => {
    const match = /^(\d+)_(.*)\.sql$/.exec(file);
    if (!match?.[1] || match[2] === undefined) return [];
    return [{ version: match[1], name: match[2], path: join(migrationsFolder, file) }];
  });
}

/** The files that the database has not recorded yet. A start with none does not wait for the CLI. */
export async function pendingMigrations(databaseUrl: string): Promise<MigrationFile[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const applied = await appliedVersions(client);
    return (await listMigrations()).filter((file) => !applied.has(file.version));
  } finally {
    await client.end();
  }
}

async function appliedVersions(client: pg.Client): Promise<Set<string>> {
  const table = await client.query<{ found: boolean }>(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as found",
  );
  if (!table.rows[0]?.found) return new Set();
  const { rows } = await client.query<{ version: string }>(
    "select version from supabase_migrations.schema_migrations",
  );
  return new Set(rows.map((row) => row.version));
}
