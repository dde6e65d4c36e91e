import { z } from "zod";
import { ContractError } from "~/wire/errors";
import type { Credential, Database, Values } from "./database.server";

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

/** Throws `ContractError`. (Inferring `T` from `ZodType<T>` instead costs the compiler a second per call.) */
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

function parseAnswer<Output extends z.ZodType>(operation: string, answer: string, output: Output): z.output<Output> {
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

/** Answer of `call_as` to a call with a key (supabase/schemas/calls). */
const keyedAnswerSchema = z.object({ answer: z.string().nullable(), kept: z.boolean(), replayed: z.boolean() });

/** Takes effect once, however often it is sent. The key covers the first write; other calls must be safe to repeat. */
export class Once {
  readonly #key: string;
  #isKept = false;
  #wasReplayed = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** Key for the next call, or undefined once an answer was stored under it. */
  get key(): string | undefined {
    return this.#isKept ? undefined : this.#key;
  }

  /** True if an earlier request with this key did the work and its stored answer was returned. */
  get wasReplayed(): boolean {
    return this.#wasReplayed;
  }

  read(text: string): string {
    const { answer, kept, replayed } = keyedAnswerSchema.parse(JSON.parse(text));
    this.#isKept ||= kept;
    this.#wasReplayed ||= replayed;
    return answer ?? "null";
  }
}
