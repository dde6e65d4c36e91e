import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";

/** Ids follow from names, in the benchmarks and in their SQL alike. */
export function idOf(name: string): string {
  const hex = createHash("md5").update(name).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** A new token of this person. */
export async function insertToken(sql: pg.Pool | pg.Client, userId: string): Promise<string> {
  const token = `blm_${randomBytes(32).toString("base64url")}`;
  await sql.query(`insert into public.api_tokens (user_id, label, prefix, token_hash) values ($1, 'bench', $2, $3)`, [
    userId,
    token.slice(0, 8),
    createHash("sha256").update(token).digest(),
  ]);
  return token;
}

/** Writes rows past the triggers, which would number and announce each, in one transaction. */
export async function pastTriggers<T>(sql: pg.Pool, write: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await sql.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    const written = await write(client);
    await client.query("commit");
    return written;
  } finally {
    client.release();
  }
}
