import pg from "pg";
import { applyMigration } from "./apply-migration";
import { DataFolderProblem } from "./data-folder/problem";
import { compareMigrations, recordedMigrations } from "./migrations";
import { adoptSquashedRelease } from "./squashed-releases";

/**
 * Migrates the database to the newest migration and returns how many were applied. Uses the records of the Supabase
 * CLI, which may be used on the same database. Refuses a database made from other sources, because its functions would
 * not match this program's calls.
 */
export async function migrateDatabase(migrationUrl: string | pg.ClientConfig): Promise<number> {
  const client = new pg.Client(migrationUrl);
  await client.connect();
  try {
    await adoptSquashedRelease(client, await recordedMigrations(client));
    const { pending, newer, foreign } = await compareMigrations(await recordedMigrations(client));
    refuseOthers(newer, foreign);
    for (const file of pending) await applyMigration(client, file);
    return pending.length;
  } finally {
    await client.end();
  }
}

function refuseOthers(newer: readonly string[], foreign: readonly string[]): void {
  if (newer.length > 0) {
    throw new DataFolderProblem(
      `The database was made by a newer Backloom (migration ${newer[0]} is not known here): start that version or a later one.`,
    );
  }
  if (foreign.length > 0) {
    throw new DataFolderProblem(
      `The database was made by another development version (${foreign.length} migrations differ, first ${foreign[0]}). ` +
        "Start that version once more, export your products (npm run admin -- export), then import them into an empty one.",
    );
  }
}
