import { type ParseArgsConfig, parseArgs } from "node:util";
import { z } from "zod";

type Option = NonNullable<ParseArgsConfig["options"]>[string];

/** Splits arguments into the options of a schema and positionals. Throws for unknown options. */
export function splitArgs(args: readonly string[], shape: z.core.$ZodShape, allowPositionals = true) {
  const options = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, optionOf(schema)]));
  return parseArgs({ args: [...args], options, allowPositionals });
}

/** Converts a field's schema to a `parseArgs` option: booleans are flags, arrays may be given several times. */
export function optionOf(schema: z.core.$ZodType): Option {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return optionOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return { type: "boolean" };
  return { type: "string", multiple: schema instanceof z.ZodArray };
}
