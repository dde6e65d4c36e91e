import pg from "pg";
import type { FunctionSignature } from "./function-signature.server";
import { toLiteral } from "./literal.server";

/**
 * What a connection is: one `session` of Postgres that is ours alone, or a way through a pooler that gives each
 * `transaction` another session and others the same.
 */
export type ConnectionKind = "session" | "transaction";

/** Role and limits of every call. */
const settings = (scope: "session" | "local") =>
  `set ${scope} role service_role;set ${scope} statement_timeout='5s';set ${scope} lock_timeout='2s';`;

/** What a session is told once, before its first call. */
export const sessionSettings = `${settings("session")}prepare act_as(jsonb,text) as select private.act_as(p_credential=>$1,p_function=>$2)`;

/**
 * What each call over a pooler brings along. It is local to the transaction, which is this one text: a connection that
 * is handed to somebody else afterwards is as it was. There is no `begin`: an error would leave the transaction open.
 */
const localSettings = settings("local");

/** The call of one function: what a session has to be told once, and the text for these values. */
export interface Statement {
  prepare?: string;
  write(values: Record<string, unknown>): string;
}

interface Parameter {
  name: string;
  type: string;
}

interface Call {
  kind: ConnectionKind;
  functionName: string;
  names: readonly string[];
  signature: FunctionSignature;
  /** Its place among the calls of this process: what a session knows it by. */
  place: number;
}

/**
 * The call of one function with these named parameters, ready for any values. A session plans it once; over a pooler
 * it is one whole text, because the next statement may meet another session.
 */
export function writeStatement({ kind, functionName, names, signature, place }: Call): Statement {
  const parameters = names.map((name) => ({
    name,
    type: signature.parameters.get(name) ?? "text",
  }));
  const [before, after] = around(signature.returns);
  const head = `${before}public.${pg.escapeIdentifier(functionName)}(`;
  const literal = (values: Record<string, unknown>) => (parameter: Parameter) =>
    literalOf(values[parameter.name], parameter.type);

  if (kind === "session") {
    const name = `call_${place}`;
    const types = inParentheses(parameters.map(({ type }) => type));
    const list = listOf(parameters, (_, index) => `$${index + 1}`);
    return {
      prepare: `prepare ${name}${types} as ${head}${list}${after}`,
      write: (values) => `execute ${name}${inParentheses(parameters.map(literal(values)))}`,
    };
  }
  return {
    write: (values) => localSettings + head + listOf(parameters, literal(values)) + after,
  };
}

/** `prepare` and `execute` want no parentheses around nothing. */
function inParentheses(list: readonly string[]): string {
  return list.length === 0 ? "" : `(${list.join()})`;
}

function listOf(
  parameters: readonly Parameter[],
  written: (parameter: Parameter, index: number) => string,
): string {
  return parameters
    .map((parameter, index) => {
      const value = written(parameter, index);
      return `${pg.escapeIdentifier(parameter.name)}=>${value}::${parameter.type}`;
    })
    .join();
}

/** What stands around the call so that its answer is one row of JSON text. */
function around(returns: FunctionSignature["returns"]): [string, string] {
  if (returns === "json") return ["select ", ")::text"];
  if (returns === "nothing") return ["select null::text from (select ", ")) as called"];
  if (returns === "scalar") return ["select to_json(", "))::text"];
  return ["select coalesce(json_agg(to_json(answer)), '[]')::text from ", ") as answer"];
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
