import pg from "pg";
import { CallFailure } from "./call-failure.server";
import { WrittenJson } from "./written-json";

/** Our own Postgres `session`, or a pooler that may run each `transaction` in another session, shared with others. */
export type ConnectionKind = "session" | "transaction";

/** The functions of schema `public` and their parameters. Each returns JSON. */
const doors = {
  authenticate: { p_credential: "jsonb" },
  call_as: { p_credential: "jsonb", p_function: "text", p_arguments: "jsonb", p_key: "text" },
  call_service: { p_function: "text", p_arguments: "jsonb" },
} as const;

export type Door = keyof typeof doors;

/** Calls one of the doors. Returns the answer as JSON text, unparsed. */
export interface Transport {
  call(door: Door, values: Record<string, unknown>): Promise<string>;
}

const settings = (scope: "session" | "local") =>
  `set ${scope} role service_role;set ${scope} statement_timeout='5s';set ${scope} lock_timeout='2s';`;

/** Sent once per session, before its first call. */
export const sessionSettings = settings("session");

/** Local to the implicit transaction of this query text. No `begin`: an error would leave the transaction open. */
const localSettings = settings("local");

/** The only slow operation: it may write thousands of stories in one transaction. Its text is never sent twice. */
const longOperation = "import_backlog";
const longSettings = "set local statement_timeout='60s';set local lock_timeout='10s';";

/** Milliseconds. Postgres ends statements earlier, so only a dead network gets here; the system waits 15 minutes. */
export const longestWait = 15_000;
const otherWaits = new Map<unknown, number>([
  [longOperation, 75_000],
  // A probe gives its connection back before the next probe.
  ["ping", 1_000],
]);

/** Milliseconds to wait for the answer of this call. */
export function longestWaitOf(given: Record<string, unknown>): number {
  return otherWaits.get(given.p_function) ?? longestWait;
}

/** How often a call is tried. */
export function attemptsOf(given: Record<string, unknown>): number {
  return given.p_function === longOperation ? 1 : 4;
}

/** A query for Postgres. pg gives up after `query_timeout`, which its type lacks. */
export interface Statement extends pg.QueryConfig {
  query_timeout: number;
  /** Settings of a separate transaction, for a text that is too long to be quoted letter by letter. */
  within?: string;
}

/** A pooler gets one text with literals instead of a prepared one: the next statement may run in another session. */
export function writeStatement(kind: ConnectionKind, door: Door, given: Record<string, unknown>): Statement {
  const parameters = Object.entries(doors[door]).filter(([name]) => given[name] !== undefined);
  const values = parameters.map(([name, type]) => textOf(given[name], type));
  const text = (write: (value: string, index: number) => string) =>
    `select public.${door}(${parameters
      .map(([name, type], index) => `${name}=>${write(values[index] ?? "", index)}::${type}`)
      .join()})::text`;
  const query_timeout = longestWaitOf(given);
  const asParameters = () => ({ text: text((_, index) => `$${index + 1}`), values, query_timeout });
  if (given.p_function === longOperation) return { ...asParameters(), within: localSettings + longSettings };
  if (kind === "session") return { name: `${door}/${parameters.length}`, ...asParameters() };
  return { text: localSettings + text(toLiteral), query_timeout };
}

function textOf(value: unknown, type: string): string {
  if (value instanceof WrittenJson) return value.text;
  return type === "jsonb" ? JSON.stringify(value ?? {}) : String(value);
}

/** Quotes a text as an SQL literal. Refuses NUL like Postgres would, because it would end the statement early. */
function toLiteral(text: string): string {
  if (!text.includes("\u0000")) return pg.escapeLiteral(text);
  const message = "A text contains the character NUL, which Postgres cannot store";
  throw new CallFailure({ code: "22021", message, detail: null }, "nothing happened");
}
