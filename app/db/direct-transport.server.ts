import pg from "pg";
import { answerOrRefuse, CallFailure } from "./call-failure.server";
import { type FunctionSignature, findSignature } from "./function-signature.server";
import type { Transport } from "./http-transport.server";

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
 * Calls functions over pooled connections, one prepared statement and one round trip each. The login
 * role has no rights of its own (noinherit); every connection becomes `service_role`, and `call_as`
 * becomes `authenticated` for its own statement.
 */
export function openDirectTransport(options: DirectTransportOptions): DirectTransport {
  const pool = openPool(options);
  const statements = new Map<string, Statement>();
  const callOnce = async (functionName: string, values: Record<string, unknown>) => {
    const client = await connect(pool);
    let failure: Error | undefined;
    try {
      const statement = await findStatement(client, statements, functionName, values);
      const { rows } = await client.query<[string | null]>({
        name: statement.name,
        text: statement.text,
        values: statement.parameters.map(([name, type]) => toParameter(values[name], type)),
        rowMode: "array",
      });
      return rows[0]?.[0] ?? "null";
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
    connectionString: options.databaseUrl,
    max: options.connections ?? 8,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: "backloom",
    onConnect: (client) => client.query(sessionSettings),
  });
  // A connection that was lost, idle or at work, is dropped by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Set per connection rather than at start-up, because connection poolers drop start-up options. */
const sessionSettings = `
  set role service_role;
  set statement_timeout = '5s';
  set lock_timeout = '2s';
  set idle_in_transaction_session_timeout = '10s'`;

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const code = cause instanceof pg.DatabaseError && cause.code ? cause.code : "08001";
    throw new CallFailure(
      { code, message: String(cause), detail: null },
      "nothing happened",
      cause,
    );
  }
}

interface Statement {
  name: string;
  text: string;
  parameters: [string, string][];
}

async function findStatement(
  client: pg.PoolClient,
  statements: Map<string, Statement>,
  functionName: string,
  values: Record<string, unknown>,
): Promise<Statement> {
  const names = Object.keys(values).filter((name) => values[name] !== undefined);
  const key = `${functionName}(${names.join()})`;
  const known = statements.get(key);
  if (known) return known;
  const signature = await findSignature(client, functionName, names);
  // Calls that came at the same time may have written it meanwhile; a second one would take its name.
  const written = statements.get(key);
  if (written) return written;
  if (!signature) {
    const message = `Could not find the function public.${key} in the schema cache`;
    throw new CallFailure({ code: "PGRST202", message, detail: null }, "nothing happened");
  }
  const statement = writeStatement(`rpc_${statements.size}`, functionName, names, signature);
  statements.set(key, statement);
  return statement;
}

function writeStatement(
  name: string,
  functionName: string,
  names: string[],
  signature: FunctionSignature,
): Statement {
  const parameters = names.map((key): [string, string] => [
    key,
    signature.parameters.get(key) ?? "text",
  ]);
  const list = parameters.map(
    ([key, type], index) => `${pg.escapeIdentifier(key)} => $${index + 1}::${type}`,
  );
  const call = `public.${pg.escapeIdentifier(functionName)}(${list.join(", ")})`;
  const texts: Record<FunctionSignature["returns"], string> = {
    json: `select ${call}::text`,
    nothing: `select null::text from (select ${call}) as called`,
    scalar: `select to_json(${call})::text`,
    rows: `select coalesce(json_agg(to_json(answer)), '[]')::text from ${call} as answer`,
  };
  return { name, text: texts[signature.returns], parameters };
}

/** The text form in which PostgREST would hand the same JSON value to the function. */
function toParameter(value: unknown, type: string): string | null {
  if (type === "json" || type === "jsonb") return value === null ? null : JSON.stringify(value);
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An answer of Postgres means that the statement was rolled back; silence means that nobody knows. */
function toFailure(error: Error): Error {
  if (error instanceof CallFailure) return error;
  if (error instanceof pg.DatabaseError && error.code) {
    const { code, message, detail } = error;
    return new CallFailure({ code, message, detail: detail ?? null }, "nothing happened", error);
  }
  const refusal = { code: "08006", message: error.message, detail: null };
  return new CallFailure(refusal, "unknown", error);
}

function isBroken(error: Error): boolean {
  if (!(error instanceof pg.DatabaseError)) return !(error instanceof CallFailure);
  return error.severity === "FATAL" || error.severity === "PANIC";
}
