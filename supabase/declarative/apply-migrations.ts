import { readFile } from "node:fs/promises";
import pg from "pg";
import { migrationFailure } from "../embedded/apply-migration";
import { listMigrations, type MigrationFile } from "../embedded/migrations";

/**
 * Applies all migrations over one connection, each file in its own transaction as the Supabase CLI does. Leaves no
 * record of applied migrations. Errors name the file and line.
 */
export async function applyMigrations(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const files = await listMigrations();
    for (const file of files) await applyFile(client, file);
    return files.length;
  } finally {
    await client.end();
  }
}

async function applyFile(client: pg.Client, file: MigrationFile): Promise<void> {
  const sql = await readFile(file.path, "utf8");
  try {
    await client.query(`begin; ${sql}\n;commit;`);
  } catch (error) {
    await client.query("rollback");
    throw migrationFailure(file, `begin; ${sql}`, error);
  }
}
