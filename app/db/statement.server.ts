import pg from "pg";
import type { FunctionSignature } from "./function-signature.server";
import { toLiteral } from "./literal.server";

/**
 * Role and limits of one call. They are local to the transaction, which is this one text: a connection that a pooler
 * hands to somebody else afterwards is as it was. There is no `begin`: an error would leave the transaction open.
 */
const localSettings =
  "set local role service_role;set local statement_timeout='5s';set local lock_timeout='2s';";

/** Writes the whole text of a call, values included: a pooler may give the next statement to another connection. */
export type StatementWriter = (values: Record<string, unknown>) => string;

/** The call of one function with these named parameters, ready for any values. */
export function writeStatement(
  functionName: string,
  names: readonly string[],
  signature: FunctionSignature,
): StatementWriter {
  const parameters = names.map((name) => ({
    name,
    type: signature.parameters.get(name) ?? "text",
    written: pg.escapeIdentifier(name),
  }));
  const [before, after] = around(signature.returns);
  const head = `${localSettings}${before}public.${pg.escapeIdentifier(functionName)}(`;
  return (values) => {
    const list = parameters.map(
      ({ name, type, written }) => `${written}=>${literalOf(values[name], type)}::${type}`,
    );
    return `${head}${list.join()})${after}`;
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
