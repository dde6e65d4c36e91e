import pg from "pg";
import { z } from "zod";
import { answerOrRefuse, CallFailure } from "./call-failure.server";
import { connectionSettings } from "./connection-settings.server";
import { findSignature } from "./function-signature.server";
import type { Transport } from "./http-transport.server";
import { type StatementWriter, writeStatement } from "./statement.server";

export interface DirectTransport extends Transport {
  /** One try, without repeats and without our error: for answers in the shape of PostgREST. */
  callOnce(functionName: string, functionArguments: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export interface DirectTransportOptions {
  databaseUrl: string;
  connections?: number | undefined;
}

/**
 * Calls functions over pooled connections, one simple query and one round trip each. The login role has no rights of
 * its own (noinherit); every call becomes `service_role` for its own transaction, and `call_as` becomes
 * `authenticated` within it. Nothing stays on the connection, neither a setting nor a prepared statement, so that it
 * works through a pooler that gives each transaction another connection, and leaves nothing to the pooler's others.
 */
export function openDirectTransport(options: DirectTransportOptions): DirectTransport {
  const pool = openPool(options);
  const writers = new Map<string, StatementWriter>();
  const callOnce = async (functionName: string, values: Record<string, unknown>) => {
    const client = await connect(pool);
    let failure: Error | undefined;
    try {
      const ask = (text: string) => askOnce(client, text);
      const write = await findWriter(ask, writers, functionName, values);
      return await ask(write(values));
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
  const pool = new pg.Pool({
    ...connectionSettings(options.databaseUrl),
    max: options.connections ?? 8,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: "backloom",
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

const answerSchema = z.object({ rows: z.tuple([z.tuple([z.string().nullable()])]) });

/** Sends one text of one or several statements; the last one answers with one text. */
async function askOnce(client: pg.PoolClient, text: string): Promise<string> {
  // Several statements have several results, which the types of pg do not know.
  const results: unknown = await client.query({ text, rowMode: "array" });
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  return answerSchema.parse(last).rows[0][0] ?? "null";
}

async function findWriter(
  ask: (text: string) => Promise<string>,
  writers: Map<string, StatementWriter>,
  functionName: string,
  values: Record<string, unknown>,
): Promise<StatementWriter> {
  const names = Object.keys(values).filter((name) => values[name] !== undefined);
  const key = `${functionName}(${names.join()})`;
  const known = writers.get(key);
  if (known) return known;
  const signature = await findSignature(ask, functionName, names);
  if (!signature) {
    const message = `Could not find the function public.${key} in the schema cache`;
    throw new CallFailure({ code: "PGRST202", message, detail: null }, "nothing happened");
  }
  const writer = writeStatement(functionName, names, signature);
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
