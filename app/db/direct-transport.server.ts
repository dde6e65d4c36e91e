import pg from "pg";
import { CallFailure } from "./call-failure.server";
import { connectionSettings } from "./postgres-connection.server";
import * as statement from "./statement.server";
import { answerInSlots } from "./user-slots.server";

export interface DirectTransport extends statement.Transport {
  close(): Promise<void>;
}

export interface DirectTransportOptions {
  databaseUrl: string;
  connections?: number | undefined;
  /** Kind of connections to this address (default `transaction`, which is safe behind every pooler). */
  connectionKind?: statement.ConnectionKind | undefined;
}

/**
 * One round trip a call, as `service_role`: the login role has no rights itself, and `call_as` switches to
 * `authenticated`. A pooler's connection keeps no setting and no prepared statement, our own sessions keep both.
 */
export function openDirectTransport(options: DirectTransportOptions): DirectTransport {
  const { connections = 8 } = options;
  const pool = openPool(options, connections);
  const kind = options.connectionKind ?? "transaction";
  const callAtOnce = async (door: statement.Door, values: Record<string, unknown>) => {
    const client = await connect(pool);
    let failure: Error | undefined;
    try {
      return await ask(client, statement.writeStatement(kind, door, values));
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw toFailure(failure);
    } finally {
      client.release(failure && isBroken(failure) ? failure : undefined);
    }
  };
  return { call: answerInSlots(connections, callAtOnce), close: () => pool.end() };
}

function openPool(options: DirectTransportOptions, connections: number): pg.Pool {
  const isSession = options.connectionKind === "session";
  const pool = new pg.Pool({
    ...connectionSettings(options.databaseUrl),
    max: connections,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5000,
    query_timeout: statement.longestWait,
    keepAlive: true,
    application_name: "backloom",
    onConnect: isSession ? (client) => client.query(statement.sessionSettings) : undefined,
  });
  // The pool drops lost connections. Trap: without an error listener, a lost connection would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const isPostgres = cause instanceof pg.DatabaseError && !isFromPooler(cause);
    const code = (isPostgres ? cause.code : undefined) ?? "08001";
    throw new CallFailure({ code, message: String(cause), detail: null }, "nothing happened", cause);
  }
}

type Answer = pg.QueryArrayResult<[string | null]>;

/** Runs one query text and returns the single value of its last statement. */
async function ask(client: pg.PoolClient, { within, ...statement }: statement.Statement): Promise<string> {
  const answer = () => client.query<[string | null]>({ ...statement, rowMode: "array" });
  if (within === undefined) return textOf(await answer());
  await client.query(`begin;${within}`);
  try {
    const text = textOf(await answer());
    await client.query("commit");
    return text;
  } catch (error) {
    // Only an error of Postgres leaves a connection that others can use.
    if (error instanceof pg.DatabaseError) await client.query("rollback");
    throw error;
  }
}

/** Several statements return an array of results, which the types of pg do not declare. */
function textOf(results: Answer | Answer[]): string {
  const last = Array.isArray(results) ? results.at(-1) : results;
  return last?.rows[0]?.[0] ?? "null";
}

/** An error from Postgres means that the statement was rolled back. Without one, the outcome is unknown. */
function toFailure(error: Error): Error {
  if (error instanceof CallFailure) return error;
  if (error instanceof pg.DatabaseError && error.code && !isFromPooler(error)) {
    const { code, message, detail } = error;
    return new CallFailure({ code, message, detail: detail ?? null }, "nothing happened", error);
  }
  const refusal = { code: "08006", message: error.message, detail: null };
  return new CallFailure(refusal, "unknown", error);
}

/** Whether a pooler that lost Postgres sent the error. It looks like a Postgres error, but the outcome is unknown. */
function isFromPooler(error: pg.DatabaseError): boolean {
  return error.severity === "FATAL" && /^(08|XX)/.test(error.code ?? "");
}

function isBroken(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError)) return !(error instanceof CallFailure);
  return error.severity === "FATAL" || error.severity === "PANIC";
}
