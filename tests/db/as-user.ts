import type pg from "pg";
import type { TestDatabase } from "../setup/database";

export type Caller = { id: string } | "anon";

/** Runs SQL as the role and claims that the Data API would give this caller, and rolls it back. */
export async function asUser<T>(
  t: TestDatabase,
  caller: Caller,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await t.sql.connect();
  try {
    await client.query("begin");
    await becomeCaller(client, caller);
    return await work(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

/** Takes on role and claims for the rest of the transaction. */
export async function becomeCaller(client: pg.PoolClient, caller: Caller): Promise<void> {
  const role = caller === "anon" ? "anon" : "authenticated";
  const claims = caller === "anon" ? { role } : { role, sub: caller.id };
  await client.query("select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)", [
    JSON.stringify(claims),
    role,
  ]);
}

/** How many rows a statement touched, or the SQLSTATE with which it was refused. */
export async function outcomeOf(
  client: pg.PoolClient,
  statement: string,
  values: unknown[] = [],
): Promise<number | string> {
  await client.query("savepoint attempt");
  try {
    const result = await client.query(statement, values);
    await client.query("rollback to savepoint attempt");
    return result.rowCount ?? 0;
  } catch (error) {
    await client.query("rollback to savepoint attempt");
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  }
}
