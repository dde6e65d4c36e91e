import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { identityOf } from "../../supabase/embedded/postgres/process-identity";
import { type EmbeddedSupabase, startEmbeddedSupabase } from "../../supabase/embedded/start";

/**
 * A data folder of its own for a test that starts and stops the whole stack. It goes with the run: what a test that runs
 * already gives to `afterAll` is never called.
 */
export function ownDataDir(): Promise<string> {
  return mkdtemp(join(inject("runFolder"), "stack-"));
}

/** Starts a stack that is stopped after the test file no matter what happens. */
export async function ownStack(dataDir: string): Promise<EmbeddedSupabase> {
  const stack = await startEmbeddedSupabase({ dataDir });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stack.stop();
    return stopping;
  };
  afterAll(stop);
  return { ...stack, stop };
}

export async function postmasterOf(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** One statement over its own connection; `null` while the database is away. */
export async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(sql);
    return rows[0] ? Object.values(rows[0])[0] : undefined;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function isRunning(pid: number): boolean {
  return identityOf(pid) !== null;
}
