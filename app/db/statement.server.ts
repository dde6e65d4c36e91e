import pg from "pg";
import type { FunctionSignature } from "./function-signature.server";
import { toLiteral } from "./literal.server";

/** Whether a connection is one session of Postgres, or behind a pooler that may give each transaction another one. */
export type ConnectionKind = "session" | "transaction";

/** Role and limits of every call. */
const settings = (scope: "session" | "local") =>
  `set ${scope} role service_role;set ${scope} statement_timeout='5s';set ${scope} lock_timeout='2s';`;

/** What a connection is told before its first call, when it stays one session. */
export const sessionSettings = settings("session");

/**
 * Told with each call where nothing may stay on the connection. They are local to the transaction, which is this one
 * text: a connection that a pooler hands to somebody else afterwards is as it was. There is no `begin`: an error would
 * leave the transaction open.
 */
const localSettings = settings("local");

/** Writes the call of one function with these values. */
export type StatementWriter = (values: Record<string, unknown>) => pg.QueryArrayConfig;

/** The call of one function with these named parameters, ready for any values; `place` numbers it among all. */
export function writeStatement(
  kind: ConnectionKind,
  functionName: string,
  names: readonly string[],
  signature: FunctionSignature,
  place: number,
): StatementWriter {
  const parameters = names.map((name) => ({
    name,
    type: signature.parameters.get(name) ?? "text",
  }));
  const [before, after] = around(signature.returns);
  const head = `${before}public.${pg.escapeIdentifier(functionName)}(`;
  const listOf = (write: (parameter: { name: string; type: string }, index: number) => string) =>
    parameters
      .map((parameter, index) => {
        const value = write(parameter, index);
        return `${pg.escapeIdentifier(parameter.name)}=>${value}::${parameter.type}`;
      })
      .join();

  if (kind === "session") {
    const text = `${head}${listOf((_, index) => `$${index + 1}`)})${after}`;
    return (values) => ({
      name: `rpc_${place}`,
      text,
      values: parameters.map(({ name, type }) => toText(values[name], type)),
      rowMode: "array",
    });
  }
  return (values) => {
    const list = listOf(({ name, type }) => literalOf(values[name], type));
    return { text: `${localSettings}${head}${list})${after}`, rowMode: "array" };
  };
}

/** What stands around the call so that its answer is one row of JSON text. */
function around(returns: FunctionSignature["returns"]): [string, string] {
  if (returns === "json") return ["select ", "::text"];
  if (returns === "nothing") return ["select null::text from (select ", ") as called"];
  if (returns === "scalar") return ["select to_json(", ")::text"];
  return ["select coalesce(json_agg(to_json(answer)), '[]')::text from ", " as answer"];
}

/** The text form in which PostgREST would hand the same JSON value to the function. */
function literalOf(value: unknown, type: string): string {
  const text = toText(value, type);
  return text === null ? "null" : toLiteral(text);
}

function toText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null;
  if (type === "json" || type === "jsonb" || typeof value === "object") {
    return JSON.stringify(value);
  }
  return String(value);
}
