import { createHash, randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";

/** Ids follow from names, in the benchmarks and in their SQL alike. */
export function idOf(name: string): string {
  const hex = createHash("md5").update(name).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Someone new who uses the service; where triggers run, they write the second row themselves. */
export async function insertPerson(sql: pg.Pool | pg.PoolClient, id: string = randomUUID()): Promise<string> {
  const name = `bench-${id.slice(0, 8)}`;
  const email = `${id}@example.com`;
  const identity = "values ($1, $2, jsonb_build_object('username', $3::text))";
  await sql.query(`insert into auth.users (id, email, raw_user_meta_data) ${identity}`, [id, email, name]);
  const user = "values ($1, $2, $3) on conflict (id) do nothing";
  await sql.query(`insert into public.users (id, email, username) ${user}`, [id, email, name]);
  return id;
}

/** A new token of this person. */
export async function insertToken(sql: pg.Pool | pg.PoolClient, userId: string): Promise<string> {
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
