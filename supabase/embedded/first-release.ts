import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type pg from "pg";
import { recordMigration } from "./apply-migration";
import { listMigrations, type RecordedMigration } from "./migrations";

/** Release 0.1.0 recorded its database as this many small migrations; the baseline makes the same one. */
const count = 449;
const fingerprint = "fc999f8975925061209782c8e1193e820bb44e18249dc13cc821b03190e5a050";

/** Whether these records are those of 0.1.0, by version, name and text of each. */
export function isFirstRelease(recorded: readonly RecordedMigration[]): boolean {
  return recorded.length === count && fingerprintOf(recorded) === fingerprint;
}

/** Writes the baseline's record in the place of those of 0.1.0: at once or not at all. */
export async function adoptFirstRelease(client: pg.Client): Promise<void> {
  const baseline = (await listMigrations()).find(({ name }) => name === "release_0_1_0");
  if (baseline === undefined) throw new Error("The migration release_0_1_0 is not there");
  const sql = await readFile(baseline.path, "utf8");
  await client.query("begin");
  try {
    await client.query("delete from supabase_migrations.schema_migrations");
    await recordMigration(client, baseline, sql);
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
