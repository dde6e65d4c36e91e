import type pg from "pg";
import type { TestDatabase } from "../../setup/database";

/** Runs SQL with the clock of all rules standing at `instant`, and commits. Without a user it is the service. */
export async function atTime<T>(
  t: TestDatabase,
  instant: Date,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return t.inTransaction(async (client) => {
    await client.query("select set_config('backloom.now', $1, true)", [instant.toISOString()]);
    return work(client);
  });
}

export async function serviceAt(t: TestDatabase, instant: Date, call: string): Promise<Record<string, unknown>> {
  return atTime(t, instant, async (client) => {
    await client.query("set local role service_role");
    const { rows } = await client.query(`select operations.${call} as answer`);
    return rows[0].answer;
  });
}

export function later(instant: Date | string, milliseconds: number): Date {
  return new Date(new Date(instant).getTime() + milliseconds);
}

export const minutes = (n: number) => n * 60_000;
export const days = (n: number) => n * 86_400_000;
