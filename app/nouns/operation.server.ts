import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, callAsRaw, callService } from "~/db/rpc.server";
import type { Json, Database as Tables } from "~/db/types";

type Functions = Tables["operations"]["Functions"];
type FunctionName = keyof Functions & string;

/** Value of an argument: null means the same as omitted, and a json argument takes anything serializable. */
type Value<Argument> = (Json extends Argument ? unknown : Argument) | null;

/** Arguments of a SQL function by their contract names, without the `p_` prefix. */
type Arguments<Name extends FunctionName> = {
  [Key in keyof Functions[Name]["Args"] as Key extends `p_${infer Field}` ? Field : never]: Value<
    Functions[Name]["Args"][Key]
  >;
};

/** The schema if it fits the SQL function, otherwise the type it should have. */
type Fitting<Name extends FunctionName, Input extends z.ZodObject, Given, Field> =
  Given extends Arguments<Name>
    ? Exclude<Field, keyof Arguments<Name>> extends never
      ? Input
      : `${Name} has no argument p_${Exclude<Field, keyof Arguments<Name>> & string}`
    : z.ZodType<Arguments<Name>>;

/** Refuses an `own` that leaves out a field which is an argument: it would be sent inside the rest and lost. */
type Named<Name extends FunctionName, Input extends z.ZodObject, Own> =
  Exclude<keyof Input["shape"] & keyof Arguments<Name>, Own> extends infer Missing extends string
    ? [Missing] extends [never]
      ? unknown
      : `own leaves out ${Missing}`
    : never;

/** Input of a call; optional if all of its fields are. */
type Given<Input extends z.ZodObject> = keyof Input["shape"] extends never
  ? []
  : Partial<z.output<Input>> extends z.output<Input>
    ? [input?: z.output<Input>]
    : [input: z.output<Input>];

/** An operation as used by callers that pass its answer on. */
export interface PassingOperation<Input> {
  (actor: Actor, input: Input): Promise<unknown>;
  json(actor: Actor, input: Input): Promise<string>;
  sql: string;
  answer: z.ZodType;
}

export interface Operation<Input extends z.ZodObject, Output extends z.ZodType> {
  /** Calls the SQL function as the actor and parses its answer. Throws `ContractError`. */
  (actor: Actor, ...input: Given<Input>): Promise<z.output<Output>>;
  sql: string;
  input: Input;
  answer: Output;
  /** Like the call, but returns the database's JSON text. */
  json(actor: Actor, ...input: Given<Input>): Promise<string>;
}

export const noInput = z.object({});

/** Passes on: each field of the input is the SQL function's argument of that name; checked against app/db/types.ts. */
export function operation<Name extends FunctionName, Input extends z.ZodObject, Output extends z.ZodType>(
  name: Name,
  input: Input & Fitting<Name, Input, z.output<Input>, keyof Input["shape"]>,
  output: Output,
): Operation<Input, Output> {
  const names = argumentNames(Object.keys(input.shape));
  return described<Input, Output>(name, input, output, (given) => named(names, given));
}

/** Like `operation`, for SQL functions that take a few fields by name and the rest as one json argument. */
export function patchOperation<
  Name extends FunctionName,
  Input extends z.ZodObject,
  Own extends keyof z.output<Input> & string,
  Rest extends keyof Arguments<Name> & string,
  Output extends z.ZodType,
>(
  name: Name,
  input: Input &
    Fitting<Name, Input, Pick<z.output<Input>, Own> & Record<Rest, unknown>, Own> &
    Named<Name, Input, Own>,
  { own, rest }: { own: readonly Own[]; rest: Rest },
  output: Output,
): Operation<Input, Output> {
  const names = argumentNames(own);
  const others = Object.keys(input.shape).filter((field) => !own.some((each) => each === field));
  return described<Input, Output>(name, input, output, (given) => ({
    ...named(names, given),
    [`p_${rest}`]: Object.fromEntries(others.map((field) => [field, given[field]])),
  }));
}

/** Like `operation`, for SQL functions only the service may call: there is no user yet, or the schedule calls. */
export function serviceOperation<Name extends FunctionName, Input extends z.ZodObject, Output extends z.ZodType>(
  name: Name,
  input: Input & Fitting<Name, Input, z.output<Input>, keyof Input["shape"]>,
  output: Output,
): (database: Database, ...input: Given<Input>) => Promise<z.output<Output>> {
  const names = argumentNames(Object.keys(input.shape));
  return (database: Database, given: Fields = {}) => callService(database, name, named(names, given), output);
}

type Fields = Record<string, unknown>;

function described<Input extends z.ZodObject, Output extends z.ZodType>(
  name: string,
  input: Input,
  answer: Output,
  argumentsOf: (given: Fields) => Fields,
): Operation<Input, Output> {
  const call = (actor: Actor, given: Fields = {}) => callAs(actor, name, argumentsOf(given), answer);
  const json = (actor: Actor, given: Fields = {}) => callAsRaw(actor, name, argumentsOf(given));
  return Object.assign(call, { json, sql: name, input, answer });
}

type ArgumentNames = readonly [field: string, argument: string][];

function argumentNames(fields: readonly string[]): ArgumentNames {
  return fields.map((field) => [field, `p_${field}`]);
}

/** Runs on every request, so it loops over precomputed names. */
function named(names: ArgumentNames, given: Fields): Fields {
  const values: Fields = {};
  for (const [field, argument] of names) values[argument] = given[field];
  return values;
}
