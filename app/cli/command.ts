import "~/wire/zod-words";
import type { z } from "zod";
import { optionOf, splitArgs } from "~/command-args";
import type { Target } from "./target.server";

/** Output of a command: one JSON object with `--json`, otherwise lines for a person. */
export interface CommandOutput {
  json: Record<string, unknown>;
  lines: readonly string[];
  /** False if the command ran but found a problem (doctor): exit code 1. */
  ok?: boolean;
}

interface CommandDefinition<Options extends z.ZodObject> {
  /** The words after `npm run admin --`, for example `user create`. */
  name: string;
  summary: string;
  /** Names of the positional arguments, in order. They are fields of `options` too. */
  positionals?: readonly string[];
  options: Options;
  run(target: Target, options: z.output<Options>): Promise<CommandOutput>;
}

export interface Command {
  name: string;
  summary: string;
  usage: string;
  run(target: Target, args: readonly string[]): Promise<CommandOutput>;
}

/** A refusal with a message that says what is wrong and what to do. */
export class CommandError extends Error {}

/** Thrown for invalid options. The usage line is printed below it. */
export class UsageError extends Error {}

export function defineCommand<Options extends z.ZodObject>(definition: CommandDefinition<Options>): Command {
  const { name, summary, options, positionals = [], run } = definition;
  const shape: z.core.$ZodShape = options.shape;
  const named = Object.fromEntries(Object.entries(shape).filter(([key]) => !positionals.includes(key)));
  return {
    name,
    summary,
    usage: [
      `npm run --silent admin -- ${name}`,
      ...positionals.map((key) => `<${key}>`),
      ...Object.entries(named).map(([key, schema]) => optionUsage(key, schema)),
      "[--json]",
    ].join(" "),
    run: (target, args) => {
      const parsed = options.safeParse(readValues(args, named, positionals));
      if (parsed.success) return run(target, parsed.data);
      throw new UsageError(parsed.error.issues.map((issue) => describeIssue(issue, positionals)).join("\n"));
    },
  };
}

function readValues(
  args: readonly string[],
  named: z.core.$ZodShape,
  names: readonly string[],
): Record<string, unknown> {
  try {
    const { values, positionals } = splitArgs(args, named);
    const surplus = positionals[names.length];
    if (surplus !== undefined) throw new Error(`Unexpected argument: ${surplus}`);
    const positioned = names.map((name, index) => [name, positionals[index]] as const);
    return { ...values, ...Object.fromEntries(positioned) };
  } catch (error) {
    // Node adds how to write a positional that looks like an option.
    throw new UsageError((error instanceof Error ? error.message : String(error)).split(". ")[0]);
  }
}

function optionUsage(key: string, schema: z.core.$ZodType): string {
  const shown = optionOf(schema).type === "boolean" ? `--${key}` : `--${key} <${key}>`;
  return schema._zod.optin === undefined ? shown : `[${shown}]`;
}

function describeIssue(issue: z.core.$ZodIssue, positionals: readonly string[]): string {
  const name = issue.path.join(".");
  if (name === "") return issue.message;
  const shown = positionals.includes(name) ? `<${name}>` : `--${name}`;
  return issue.code === "invalid_type" && issue.input === undefined
    ? `${shown} is missing`
    : `${shown}: ${issue.message}`;
}
