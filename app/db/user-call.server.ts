import { toLiteral } from "./literal.server";

/** What `call_as` is asked: an operation, by whom and with what. */
interface UserCall {
  credential: unknown;
  operation: string;
  values: Record<string, unknown>;
}

/** The arguments of `call_as`; undefined for any other function. */
export function readUserCall(
  functionName: string,
  values: Record<string, unknown>,
): UserCall | undefined {
  const { p_credential: credential, p_function: operation, p_arguments: given = {} } = values;
  if (functionName !== "call_as" || typeof operation !== "string" || !isRecord(given)) return;
  return { credential, operation, values: given };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `call_as` as a session of our own asks it: one message, and so one transaction, of two statements that the session
 * has prepared. `act_as` takes on the user or refuses, which ends the message; behind it the operation runs as that
 * user, whose right to call it Postgres asks for when it runs.
 */
export function writeUserCall({ credential, operation }: UserCall, call: string): string {
  return `execute act_as(${toLiteral(JSON.stringify(credential))},${toLiteral(operation)});${call}`;
}
