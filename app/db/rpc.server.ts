import type { z } from "zod";
import type { Credential, Database, Values } from "./database.server";
import type { Once } from "./once.server";

/** A database and the credential with which it is used: what every domain operation takes first. */
export interface Actor {
  database: Database;
  credential: Credential;
  /** Set while a request is served that must not happen twice. */
  once?: Once | undefined;
}

/** Calls one operation as the actor and returns its JSON unparsed, for answers that only pass through. */
export async function callAsRaw(
  { database, credential, once }: Actor,
  operation: string,
  operationArguments: Values,
): Promise<string> {
  const key = once?.key;
  const answer = await database.callAs(credential, operation, operationArguments, key);
  return once && key !== undefined ? once.read(answer) : answer;
}

/**
 * Calls one operation as the actor; the answer is parsed with `output`. Throws `ContractError`.
 * (The schema is the type parameter: to find what it holds from `ZodType<T>` takes the compiler a second each.)
 */
export async function callAs<Output extends z.ZodType>(
  actor: Actor,
  operation: string,
  operationArguments: Values,
  output: Output,
): Promise<z.output<Output>> {
  return parseAnswer(operation, await callAsRaw(actor, operation, operationArguments), output);
}

/** Calls an operation that only the service itself may call: there is no user yet, or the caller is the schedule. */
export async function callService<Output extends z.ZodType>(
  database: Database,
  operation: string,
  operationArguments: Values,
  output: Output,
): Promise<z.output<Output>> {
  return parseAnswer(operation, await database.call(operation, operationArguments), output);
}

function parseAnswer<Output extends z.ZodType>(
  operation: string,
  answer: string,
  output: Output,
): z.output<Output> {
  const parsed = output.safeParse(JSON.parse(answer));
  if (parsed.success) return parsed.data;
  throw new Error(`The answer of ${operation} has an unexpected shape`, { cause: parsed.error });
}
