import pg from "pg";
import { answerOrRefuse, CallFailure } from "./call-failure.server";
import { connectionSettings } from "./connection-settings.server";
import { findSignature } from "./function-signature.server";
import type { Transport } from "./http-transport.server";
import {
  type ConnectionKind,
  type StatementWriter,
  sessionSettings,
  writeStatement,
} from "./statement.server";

export interface DirectTransport extends Transport {
  /** One try, without repeats and without our error: for answers in the shape of PostgREST. */
  callOnce(functionName: string, functionArguments: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export interface DirectTransportOptions {
  databaseUrl: string;
  connections?: number | undefined;
  /** What a connection to this address is (`transaction`, which is safe behind every pooler). */
  connectionKind?: ConnectionKind | undefined;
}

/**
 * Calls functions over pooled connections, one round trip each. The login role has no rights of its own (noinherit);
 * every call runs as `service_role`, and `call_as` becomes `authenticated` within it. Behind a pooler nothing stays on
 * the connection, neither a setting nor a prepared statement; a session of our own keeps role, limits and statements.
 */
export function openDirectTransport(options: DirectTransportOptions): DirectTransport {
  const pool = openPool(options);
  const writers = new Map<string, StatementWriter>();
  const kind = options.connectionKind ?? "transaction";
  const callOnce = async (functionName: string, values: Record<string, unknown>) => {
    const client = await connect(pool);
    let failure: Error | undefined;
    try {
      const known = writers.get(keyOf(functionName, values));
      const write = known ?? (await prepareWriter(client, kind, writers, functionName, values));
      return await askOnce(client, write(values));
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw toFailure(failure);
    } finally {
      client.release(failure && isBroken(failure) ? failure : undefined);
    }
  };
  return {
    callOnce,
    call: (functionName, values) => answerOrRefuse(() => callOnce(functionName, values)),
    close: () => pool.end(),
  };
}

function openPool(options: DirectTransportOptions): pg.Pool {
  const isSession = options.connectionKind === "session";
  const pool = new pg.Pool({
    ...connectionSettings(options.databaseUrl),
    max: options.connections ?? 8,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5000,
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

/** Sends one query; the last of its statements answers with one text. */
async function askOnce(client: pg.PoolClient, query: pg.QueryArrayConfig): Promise<string> {
  return textOf(await client.query<[string | null]>(query));
}

/** Several statements have several results, which the types of pg do not know. */
function textOf(results: Answer | Answer[]): string {
  const last = Array.isArray(results) ? results.at(-1) : results;
  return last?.rows[0]?.[0] ?? "null";
}

function keyOf(functionName: string, values: Record<string, unknown>): string {
  return `${functionName}(${namesOf(values).join()})`;
}

function namesOf(values: Record<string, unknown>): string[] {
  return Object.keys(values).filter((name) => values[name] !== undefined);
}

/** Looks the function up, the first time that it is called with these parameters. */
async function prepareWriter(
  client: pg.PoolClient,
  kind: ConnectionKind,
  writers: Map<string, StatementWriter>,
  functionName: string,
  values: Record<string, unknown>,
): Promise<StatementWriter> {
  const key = keyOf(functionName, values);
  const names = namesOf(values);
  const ask = (text: string) => askOnce(client, { text, rowMode: "array" });
  const signature = await findSignature(ask, functionName, names);
  if (!signature) {
    const message = `Could not find the function public.${key} in the schema cache`;
    throw new CallFailure({ code: "PGRST202", message, detail: null }, "nothing happened");
  }
  // Calls that came at the same time may have written it meanwhile; a second one would take its name.
  const writer =
    writers.get(key) ??
    writeStatement({ kind, functionName, names, signature, place: writers.size });
  writers.set(key, writer);
  return writer;
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
