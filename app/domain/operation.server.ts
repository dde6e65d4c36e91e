import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, callAsRaw, callService } from "~/db/rpc.server";
import type { Json, Database as Tables } from "~/db/types";

type Functions = Tables["operations"]["Functions"];
type FunctionName = keyof Functions & string;

/** What one argument takes: null says the same as to leave it out, and a json argument takes whatever can be written. */
type Value<Argument> = (Json extends Argument ? unknown : Argument) | null;

/** The arguments of a SQL function by the names of the contract: there they have `p_` before them. */
type Arguments<Name extends FunctionName> = {
  [Key in keyof Functions[Name]["Args"] as Key extends `p_${infer Field}` ? Field : never]: Value<
    Functions[Name]["Args"][Key]
  >;
};

/** The schema itself when the SQL function takes what is given; otherwise what the schema should have been. */
type Fitting<Name extends FunctionName, Input extends z.ZodObject, Given, Field> =
  Given extends Arguments<Name>
    ? Exclude<Field, keyof Arguments<Name>> extends never
      ? Input
      : `${Name} has no argument p_${Exclude<Field, keyof Arguments<Name>> & string}`
    : z.ZodType<Arguments<Name>>;

/** The input of a call; it may be left out when all that is in it may. */
type Given<Input extends z.ZodObject> = keyof Input["shape"] extends never
  ? []
  : Partial<z.output<Input>> extends z.output<Input>
    ? [input?: z.output<Input>]
    : [input: z.output<Input>];

/** An operation for who passes its answer on. */
export interface PassingOperation<Input> {
  (actor: Actor, input: Input): Promise<unknown>;
  json(actor: Actor, input: Input): Promise<string>;
  answer: z.ZodType;
}

interface Operation<Input extends z.ZodObject, Output extends z.ZodType> {
  /** Calls the SQL function as the actor and parses its answer. Throws `ContractError`. */
  (actor: Actor, ...input: Given<Input>): Promise<z.output<Output>>;
  answer: Output;
  /** The same, as the JSON text that the database made. */
  json(actor: Actor, ...input: Given<Input>): Promise<string>;
}

/** For operations that take nothing. */
export const noInput = z.object({});

/**
 * An operation that only passes on: a SQL function, what it is given (the doors have parsed it) and what it answers.
 * Each field becomes the argument of its name, and the compiler holds both against each other (app/db/types.ts).
 */
export function operation<
  Name extends FunctionName,
  Input extends z.ZodObject,
  Output extends z.ZodType,
>(
  name: Name,
  input: Input & Fitting<Name, Input, z.output<Input>, keyof Input["shape"]>,
  output: Output,
): Operation<Input, Output> {
  const names = argumentNames(Object.keys(input.shape));
  return described(name, output, (given) => named(names, given));
}

/** The same where the SQL function takes a few fields by name and all others as one json argument. */
export function gatheringOperation<
  Name extends FunctionName,
  Input extends z.ZodObject,
  Own extends keyof z.output<Input> & string,
  Rest extends keyof Arguments<Name> & string,
  Output extends z.ZodType,
>(
  name: Name,
  input: Input & Fitting<Name, Input, Pick<z.output<Input>, Own> & Record<Rest, unknown>, Own>,
  { own, rest }: { own: readonly Own[]; rest: Rest },
  output: Output,
): Operation<Input, Output> {
  const names = argumentNames(own);
  const others = Object.keys(input.shape).filter((field) => !own.some((each) => each === field));
  return described(name, output, (given) => ({
    ...named(names, given),
    [`p_${rest}`]: Object.fromEntries(others.map((field) => [field, given[field]])),
  }));
}

/** The same for a SQL function that only the service itself may call: there is no user yet, or the caller is the schedule. */
export function serviceOperation<
  Name extends FunctionName,
  Input extends z.ZodObject,
  Output extends z.ZodType,
>(
  name: Name,
  input: Input & Fitting<Name, Input, z.output<Input>, keyof Input["shape"]>,
  output: Output,
): (database: Database, ...input: Given<Input>) => Promise<z.output<Output>> {
  const names = argumentNames(Object.keys(input.shape));
  return (database: Database, given: Fields = {}) =>
    callService(database, name, named(names, given), output);
}

type Fields = Record<string, unknown>;

function described<Input extends z.ZodObject, Output extends z.ZodType>(
  name: string,
  answer: Output,
  argumentsOf: (given: Fields) => Fields,
): Operation<Input, Output> {
  const call = (actor: Actor, given: Fields = {}) =>
    callAs(actor, name, argumentsOf(given), answer);
  const json = (actor: Actor, given: Fields = {}) => callAsRaw(actor, name, argumentsOf(given));
  return Object.assign(call, { json, answer });
}

type ArgumentNames = readonly [field: string, argument: string][];

function argumentNames(fields: readonly string[]): ArgumentNames {
  return fields.map((field) => [field, `p_${field}`]);
}

/** Made for every request: a loop, and names that are written once. */
function named(names: ArgumentNames, given: Fields): Fields {
  const values: Fields = {};
  for (const [field, argument] of names) values[argument] = given[field];
  return values;
}
