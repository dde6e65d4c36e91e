import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Caller } from "./access-token";

export interface Authorizer {
  /** Whether the policies on realtime.messages let the caller receive broadcasts of the topic. */
  mayRead(caller: Caller, topic: string): Promise<boolean>;
  close(): Promise<void>;
}

const lit = pg.escapeLiteral;

/**
 * Asks row level security, the way hosted Realtime does: a probe message is written, read back as the
 * caller with `realtime.topic()` set, and rolled back, so it is never delivered.
 */
export function openAuthorizer(databaseUrl: string): Authorizer {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 3,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5000,
    application_name: "backloom realtime access",
    onConnect: (client) => client.query("set statement_timeout = '5s'; set lock_timeout = '2s'"),
  });
  // A connection that is lost, idle or at work, must not end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return {
    async mayRead(caller, topic) {
      if (caller.role === "service_role") return true;
      const client = await pool.connect();
      try {
        return await probe(client, caller, topic);
      } finally {
        await client.query("rollback").catch(() => undefined);
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

/** One round trip; the simple protocol takes no parameters, so every value is a quoted literal. */
async function probe(client: pg.PoolClient, caller: Caller, topic: string): Promise<boolean> {
  const id = randomUUID();
  const subject = typeof caller.claims.sub === "string" ? caller.claims.sub : "";
  const results: unknown = await client.query(`
    begin;
    set local role supabase_realtime_admin;
    insert into realtime.messages (id, topic, extension, event, payload, private)
      values (${lit(id)}, ${lit(topic)}, 'broadcast', '', '{}', true);
    select set_config('role', ${lit(caller.role)}, true),
           set_config('request.jwt.claims', ${lit(JSON.stringify(caller.claims))}, true),
           set_config('request.jwt.claim.sub', ${lit(subject)}, true),
           set_config('request.jwt.claim.role', ${lit(caller.role)}, true),
           set_config('realtime.topic', ${lit(topic)}, true);
    select id from realtime.messages where id = ${lit(id)} and extension = 'broadcast';
    rollback`);
  const answers = Array.isArray(results) ? results : [];
  return answers.some((answer) => answer.command === "SELECT" && answer.rows[0]?.id === id);
}
