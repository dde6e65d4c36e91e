import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Credential, Database, Values } from "./database.server";
import type { Once } from "./once.server";

/** A database and the caller's credential, the first argument of every domain operation. */
export interface Actor {
  database: Database;
  credential: Credential;
  /** Set for requests that must take effect only once. */
  once?: Once | undefined;
}

/** Calls one operation as the actor and returns its JSON unparsed, for answers that are only passed on. */
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
 * Calls one operation as the actor and parses the answer with `output`. Throws `ContractError`.
 * (The type parameter is the schema: inferring `T` from `ZodType<T>` costs the compiler a second per call.)
 */
export async function callAs<Output extends z.ZodType>(
  actor: Actor,
  operation: string,
  operationArguments: Values,
  output: Output,
): Promise<z.output<Output>> {
  return parseAnswer(operation, await callAsRaw(actor, operation, operationArguments), output);
}

/** Calls a service-only operation: there is no user yet, or the caller is the scheduler. */
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

/** The database returns a wrong guess as an answer, because raising an error would roll back the count of guesses. */
const refusedSchema = z.object({
  refused: z.object({
    code: z.union([z.literal(404), z.literal(422)]),
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Schema of an operation's answer or refusal. */
export function orRefused<T>(answer: z.ZodType<T>) {
  return z.union([refusedSchema, answer]);
}

/** Returns the answer, or throws the refusal as `ContractError`. */
export function unlessRefused<T extends object>(answer: z.infer<typeof refusedSchema> | T): T {
  if (!("refused" in answer)) return answer;
  const { code, error, issues } = refusedSchema.parse(answer).refused;
  throw new ContractError(code, error, issues && { issues });
}
