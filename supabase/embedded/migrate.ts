import { compareMigrations } from "./migrations";
import { runSupabaseCli } from "./supabase-cli";

/**
 * Brings the database to the newest migration with `supabase db push`. Nothing is started when
 * every file is recorded already, so that an ordinary start does not wait for the CLI.
 * A database that other sources made is refused: its functions would not be those that this program calls.
 */
export async function migrateDatabase(migrationUrl: string): Promise<number> {
  const { pending, foreign } = await compareMigrations(migrationUrl);
  if (foreign.length > 0) {
    throw new Error(
      `The data folder was made by another development version (${foreign.length} migrations differ, first ${foreign[0]}). ` +
        "Start that version once more, export your products (npm run admin -- export), then start this one with another DATA_DIR and import them.",
    );
  }
  if (pending.length === 0) return 0;
  try {
    await runSupabaseCli(["db", "push", `--remote=${migrationUrl}`, "--yes"]);
  } catch (failure) {
    throw new Error(`The migrations could not be applied: ${lastWords(failure)}`);
  }
  return pending.length;
}

/** Without the command line, which holds the password of the database. */
function lastWords(error: unknown): string {
  const output =
    error instanceof Error && "stderr" in error
      ? String(error.stderr)
      : "the Supabase CLI did not run";
  return output.trim().split("\n").slice(-6).join(" | ");
}
