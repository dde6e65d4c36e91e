import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type pg from "pg";
import { recordMigration } from "./apply-migration";
import { listMigrations, type RecordedMigration } from "./migrations";

/**
 * Releases that recorded many migrations, now squashed: the files up to `name` build the same database. A database
 * belongs to a release if count and fingerprint (version, name and text of each record) match.
 */
const releases = [
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
];

/** Replaces the records of a squashed release with those of today's files, atomically. Ignores other databases. */
export async function adoptSquashedRelease(
  client: pg.Client,
  recorded: readonly RecordedMigration[],
): Promise<void> {
  const release = releases.find(({ count }) => count === recorded.length);
  if (!release || release.fingerprint !== fingerprintOf(recorded)) return;
  const files = await listMigrations();
  const last = files.findIndex(({ name }) => name === release.name);
  if (last < 0) throw new Error(`The migration ${release.name} is not there`);
  await client.query("begin");
  try {
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
