import pg from "pg";
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
