import type pg from "pg";
import { CallFailure } from "./call-failure.server";
import { findSignature } from "./function-signature.server";
import { type ConnectionKind, type Statement, writeStatement } from "./statement.server";
import { readUserCall, writeUserCall } from "./user-call.server";

/**
 * A session keeps some kilobytes of each statement, and whoever calls chooses which parameters to name: what comes after
 * these goes through `call_as`, which keeps nothing.
 */
const mostStatements = 500;

type Values = Record<string, unknown>;

/**
 * The statements of a process and what each of its sessions has prepared of them. A function is looked up in the
 * catalogue the first time that it is called with these parameters.
 */
export function openStatements(
  kind: ConnectionKind,
  ask: (client: pg.PoolClient, text: string) => Promise<string>,
) {
  const known = new Map<string, Statement>();
  const prepared = new WeakMap<pg.PoolClient, Set<Statement>>();

  async function find(client: pg.PoolClient, functionName: string, names: string[]) {
    const key = keyOf(functionName, names);
    const signature = known.has(key)
      ? undefined
      : await findSignature((text) => ask(client, text), functionName, names);
    // Calls that came at the same time may have written it meanwhile; a second one would take its name.
    const statement = known.get(key);
    if (statement || !signature) return statement;
    const written = writeStatement({ kind, functionName, names, signature, place: known.size });
    known.set(key, written);
    return written;
  }

  async function write(client: pg.PoolClient, statement: Statement, values: Values) {
    const done = prepared.get(client) ?? new Set();
    if (statement.prepare && !done.has(statement)) {
      await ask(client, statement.prepare);
      prepared.set(client, done.add(statement));
    }
    return statement.write(values);
  }

  async function writeOperation(client: pg.PoolClient, functionName: string, values: Values) {
    const call = kind === "session" ? readUserCall(functionName, values) : undefined;
    if (!call) return;
    const names = namesOf(call.values);
    const isKept = known.size < mostStatements || known.has(keyOf(call.operation, names));
    const statement = isKept ? await find(client, call.operation, names) : undefined;
    return statement && writeUserCall(call, await write(client, statement, call.values));
  }

  /** The text that calls a function with these values. */
  return async (client: pg.PoolClient, functionName: string, values: Values): Promise<string> => {
    const operation = await writeOperation(client, functionName, values);
    if (operation) return operation;
    const names = namesOf(values);
    const statement = await find(client, functionName, names);
    if (statement) return write(client, statement, values);
    const message = `Could not find the function public.${keyOf(functionName, names)} in the schema cache`;
    throw new CallFailure({ code: "PGRST202", message, detail: null }, "nothing happened");
  };
}

function keyOf(functionName: string, names: readonly string[]): string {
  return `${functionName}(${names.join()})`;
}

function namesOf(values: Values): string[] {
  return Object.keys(values).filter((name) => values[name] !== undefined);
}
