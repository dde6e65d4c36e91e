import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { applyMigration, recordMigration } from "./apply-migration";
import { DataFolderProblem } from "./data-folder/problem";
import {
  compareMigrations,
  listMigrations,
  migrationsFolder,
  type RecordedMigration,
  recordedMigrations,
} from "./migrations";

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

interface SquashedRelease {
  name: string;
  count: number;
  fingerprint: string;
  /** What its last steps lack, where it stopped before the release. */
  catchUp?: { values: string; file: string };
}

/**
 * Releases that recorded many migrations, now squashed: the files up to `name` build the same database. A database
 * belongs to a release if count and fingerprint (version, name and text of each record) match.
 */
const releases: readonly SquashedRelease[] = [
  {
    name: "release_0_1_0",
    count: 449,
    fingerprint: "fc999f8975925061209782c8e1193e820bb44e18249dc13cc821b03190e5a050",
  },
  {
    name: "release_0_2_0",
    count: 72,
    fingerprint: "2cc7787b32da35180b45c78eca200e587b682f2843cc85c01a35ae5d84f9043e",
  },
  {
    name: "release_0_3_0",
    count: 56,
    fingerprint: "d9105719c120d6d26b9c09c42753515c5dc2d73d85b97baca769db7c1b5f5348",
    catchUp: {
      // New values of a type must be committed before anything names them.
      values: `alter type public.confinement add value if not exists 'bwrap_open' after 'none';
        alter type public.confinement add value if not exists 'docker_open' after 'bwrap_open'`,
      file: "unreleased/2026-11-25_to_0_3_0.sql",
    },
  },
];

/** Replaces the records of a squashed release with those of today's files, atomically. Ignores other databases. */
async function adoptSquashedRelease(
  client: pg.Client,
  recorded: readonly RecordedMigration[],
): Promise<void> {
  const release = releases.find(({ count }) => count === recorded.length);
  if (!release || release.fingerprint !== fingerprintOf(recorded)) return;
  const files = await listMigrations();
  const last = files.findIndex(({ name }) => name === release.name);
  if (last < 0) throw new Error(`The migration ${release.name} is not there`);
  const { catchUp } = release;
  if (catchUp) await client.query(catchUp.values);
  await client.query("begin");
  try {
    if (catchUp) await client.query(await readFile(join(migrationsFolder, catchUp.file), "utf8"));
    await client.query("delete from supabase_migrations.schema_migrations");
    for (const file of files.slice(0, last + 1)) {
      await recordMigration(client, file, await readFile(file.path, "utf8"));
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

function fingerprintOf(recorded: readonly RecordedMigration[]): string {
  const hash = createHash("sha256");
  for (const { version, name, essence } of recorded) hash.update(`${version} ${name} ${essence}\n`);
  return hash.digest("hex");
}
