import pg from "pg";
import { CallFailure } from "./call-failure.server";
import { connectionSettings } from "./connection-settings.server";
import {
  type ConnectionKind,
  type Door,
  longestWait,
  type Statement,
  sessionSettings,
  type Transport,
  writeStatement,
} from "./statement.server";
import { answerInPlaces } from "./user-places.server";

export interface DirectTransport extends Transport {
  close(): Promise<void>;
}

export interface DirectTransportOptions {
  databaseUrl: string;
  connections?: number | undefined;
  /** What a connection to this address is (`transaction`, which is safe behind every pooler). */
  connectionKind?: ConnectionKind | undefined;
}

/**
 * Calls over pooled connections, one round trip each. The login role has no rights of its own (noinherit);
 * every call runs as `service_role`, and `call_as` becomes `authenticated` within it. Behind a pooler nothing stays on
 * the connection, neither a setting nor a prepared statement; a session of our own keeps role, limits and statements.
 */
export function openDirectTransport(options: DirectTransportOptions): DirectTransport {
  const { connections = 8 } = options;
  const pool = openPool(options, connections);
  const kind = options.connectionKind ?? "transaction";
  const callAtOnce = async (door: Door, values: Record<string, unknown>) => {
    const client = await connect(pool);
    let failure: Error | undefined;
    try {
      return await ask(client, writeStatement(kind, door, values));
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw toFailure(failure);
    } finally {
      client.release(failure && isBroken(failure) ? failure : undefined);
    }
  };
  return {
    call: answerInPlaces(connections, callAtOnce),
    close: () => pool.end(),
  };
}

function openPool(options: DirectTransportOptions, connections: number): pg.Pool {
  const isSession = options.connectionKind === "session";
  const pool = new pg.Pool({
    ...connectionSettings(options.databaseUrl),
    max: connections,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5000,
    query_timeout: longestWait,
    keepAlive: true,
    application_name: "backloom",
    onConnect: isSession ? (client) => client.query(sessionSettings) : undefined,
  });
  // A connection that was lost, idle or at work, is dropped by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const isPostgres = cause instanceof pg.DatabaseError && !isWordOfPooler(cause);
    const code = (isPostgres ? cause.code : undefined) ?? "08001";
    throw new CallFailure(
      { code, message: String(cause), detail: null },
      "nothing happened",
      cause,
    );
  }
}

type Answer = pg.QueryArrayResult<[string | null]>;

/** Sends one text; the last of its statements answers with one text. */
async function ask(client: pg.PoolClient, statement: Statement): Promise<string> {
  return textOf(await client.query<[string | null]>({ ...statement, rowMode: "array" }));
}

/** Several statements have several results, which the types of pg do not know. */
function textOf(results: Answer | Answer[]): string {
  const last = Array.isArray(results) ? results.at(-1) : results;
  return last?.rows[0]?.[0] ?? "null";
}

/** An answer of Postgres means that the statement was rolled back; silence means that nobody knows. */
function toFailure(error: Error): Error {
  if (error instanceof CallFailure) return error;
  if (error instanceof pg.DatabaseError && error.code && !isWordOfPooler(error)) {
    const { code, message, detail } = error;
    return new CallFailure({ code, message, detail: detail ?? null }, "nothing happened", error);
  }
  const refusal = { code: "08006", message: error.message, detail: null };
  return new CallFailure(refusal, "unknown", error);
}

/** A pooler that lost its connection to Postgres says so in the form of Postgres, and knows no more than we do. */
function isWordOfPooler(error: pg.DatabaseError): boolean {
  return error.severity === "FATAL" && /^(08|XX)/.test(error.code ?? "");
}

function isBroken(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError)) return !(error instanceof CallFailure);
  return error.severity === "FATAL" || error.severity === "PANIC";
}
