import { readFile } from "node:fs/promises";
import pg from "pg";
import { migrationFailure } from "../embedded/migrate";
import { listMigrations, type MigrationFile } from "../embedded/migrations";
import { readSchemas } from "../embedded/statements";

/** Builds `supabase/schemas` in an empty database. Errors name the file and line. */
export async function buildFromSchemas(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set check_function_bodies = off");
    for (const { text, file, line } of await readSchemas()) {
      await client.query(text).catch((error: unknown) => {
        throw new Error(`${file}:${line}: ${error instanceof Error ? error.message : error}`);
      });
    }
  } finally {
    await client.end();
  }
}

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
