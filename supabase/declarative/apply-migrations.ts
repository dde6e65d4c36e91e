import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import { listMigrations } from "../embedded/migrations";

/**
 * Applies all migrations over one connection, each file in a transaction of its own as the Supabase
 * CLI does it, but without starting a program. An error names the file and the line.
 */
export async function applyMigrations(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const files = await listMigrations();
    for (const file of files) await applyFile(client, file.path);
    return files.length;
  } finally {
    await client.end();
  }
}

async function applyFile(client: pg.Client, path: string): Promise<void> {
  const sql = await readFile(path, "utf8");
  try {
    await client.query(`begin;\n${sql}\n;commit;`);
  } catch (error) {
    await client.query("rollback");
    throw new Error(`${basename(path)}${placeOf(error, sql)}: ${explain(error)}`, {
      cause: error,
    });
  }
}

function placeOf(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError) || !error.position) return "";
  const before = sql.slice(0, Math.max(0, Number(error.position) - "begin;\n".length - 1));
  return `:${before.split("\n").length}`;
}

function explain(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return String(error);
  return [error.message, error.detail, error.hint, error.where].filter(Boolean).join("\n  ");
}
