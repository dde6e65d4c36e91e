import pg from "pg";
import { CallFailure } from "./call-failure.server";

/**
 * What a connection is: one `session` of Postgres that is ours alone, or a way through a pooler that gives each
 * `transaction` another session and others the same.
 */
export type ConnectionKind = "session" | "transaction";

/** The functions of schema `public`, with their parameters; each answers JSON. */
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

/** Role and limits of every call. */
const settings = (scope: "session" | "local") =>
  `set ${scope} role service_role;set ${scope} statement_timeout='5s';set ${scope} lock_timeout='2s';`;

/** What a session is told once, before its first call. */
export const sessionSettings = settings("session");

/**
 * What each call over a pooler brings along. It is local to the transaction, which is this one text: a connection that
 * is handed to somebody else afterwards is as it was. There is no `begin`: an error would leave the transaction open.
 */
const localSettings = settings("local");

/** Thousands of stories in one transaction take their time on a small machine; nothing else does. */
const longOperation = "import_backlog";
const longSettings = "set local statement_timeout='60s';";

/**
 * How long an answer is waited for, in milliseconds. Postgres ends its statements earlier, so only a network that says nothing
 * any more reaches this: without it the call would hold its connection until the system gives up, a quarter of an hour.
 */
export const longestWait = 15_000;
const otherWaits = new Map<unknown, number>([
  [longOperation, 75_000],
  // A probe frees its connection before the next probe comes.
  ["ping", 1_000],
]);

/** How long the answer of this call is waited for. */
export function longestWaitOf(given: Record<string, unknown>): number {
  return otherWaits.get(given.p_function) ?? longestWait;
}

/** What is sent to Postgres; pg gives up on the answer after `query_timeout`, which its types do not know here. */
export interface Statement extends pg.QueryConfig {
  query_timeout: number;
}

/**
 * The call of a door. A session plans it once and takes the values apart from it; over a pooler it is one whole text,
 * because the next statement may meet another session.
 */
export function writeStatement(
  kind: ConnectionKind,
  door: Door,
  given: Record<string, unknown>,
): Statement {
  const parameters = Object.entries(doors[door]).filter(([name]) => given[name] !== undefined);
  const values = parameters.map(([name, type]) => textOf(given[name], type));
  const text = (write: (value: string, index: number) => string) =>
    `select public.${door}(${parameters
      .map(([name, type], index) => `${name}=>${write(values[index] ?? "", index)}::${type}`)
      .join()})::text`;
  const isLong = given.p_function === longOperation;
  const query_timeout = longestWaitOf(given);
  if (kind === "session" && !isLong)
    return {
      name: `${door}/${parameters.length}`,
      text: text((_, index) => `$${index + 1}`),
      values,
      query_timeout,
    };
  const local = kind === "session" ? "" : localSettings;
  return { text: local + (isLong ? longSettings : "") + text(toLiteral), query_timeout };
}

function textOf(value: unknown, type: string): string {
  return type === "jsonb" ? JSON.stringify(value ?? {}) : String(value);
}

/** A text as a literal of SQL. NUL would end the statement for the server, so it is refused as Postgres refuses it. */
function toLiteral(text: string): string {
  if (!text.includes("\u0000")) return pg.escapeLiteral(text);
  const message = "A text contains the character NUL, which Postgres cannot store";
  throw new CallFailure({ code: "22021", message, detail: null }, "nothing happened");
}
