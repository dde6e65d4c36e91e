import { readdir, readFile } from "node:fs/promises";
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

/** The files against what the database has recorded of them. */
export interface MigrationState {
  /** Not applied yet. */
  pending: MigrationFile[];
  /** Applied with another text, or applied and no longer a file: made by other sources than these. */
  foreign: string[];
}

export async function compareMigrations(databaseUrl: string): Promise<MigrationState> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const [applied, files] = await Promise.all([appliedMigrations(client), listMigrations()]);
    const known = new Set(files.map((file) => file.version));
    const foreign = [...applied.keys()].filter((version) => !known.has(version));
    for (const file of files) {
      const text = applied.get(file.version);
      if (text !== undefined && text !== essence(await readFile(file.path, "utf8"))) {
        foreign.push(`${file.version}_${file.name}`);
      }
    }
    return { pending: files.filter((file) => !applied.has(file.version)), foreign };
  } finally {
    await client.end();
  }
}

/** The CLI records the statements of a file one by one, without what stands between them. */
function essence(sql: string): string {
  return sql.replace(/[\s;]+/g, "");
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const table = await client.query<{ found: boolean }>(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as found",
  );
  if (!table.rows[0]?.found) return new Map();
  const { rows } = await client.query<{ version: string; text: string }>(
    "select version, array_to_string(statements, '') as text from supabase_migrations.schema_migrations",
  );
  return new Map(rows.map((row) => [row.version, essence(row.text)]));
}
