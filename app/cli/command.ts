import type { z } from "zod";
import type { Target } from "./target.server";

/** What a command answers: one JSON object with `--json`, else lines for a person. */
export interface CommandOutput {
  json: Record<string, unknown>;
  lines: readonly string[];
  /** False when the command ran but found something wrong (doctor): exit code 1. */
  ok?: boolean;
}

interface CommandDefinition<Options extends z.ZodObject> {
  /** The words after `npm run admin --`, like `user create`. */
  name: string;
  summary: string;
  /** Names of the arguments that stand without `--`, in order; they are fields of `options` too. */
  positionals?: readonly string[];
  /** Options without a value. */
  flags?: readonly string[];
  options: Options;
  run(target: Target, options: z.output<Options>): Promise<CommandOutput>;
}

/** One admin command as the command line sees it. */
export interface Command {
  name: string;
  summary: string;
  usage: string;
  positionals: readonly string[];
  flags: readonly string[];
  optionNames: readonly string[];
  run(target: Target, values: Record<string, unknown>): Promise<CommandOutput>;
}

/** Raised for options that do not fit; the usage line is shown beneath. */
export class UsageError extends Error {}

export function defineCommand<Options extends z.ZodObject>(
  definition: CommandDefinition<Options>,
): Command {
  const { name, summary, options, positionals = [], flags = [], run } = definition;
  const optionNames = Object.keys(options.shape).filter((key) => !positionals.includes(key));
  return {
    name,
    summary,
    positionals,
    flags,
    optionNames,
    usage: [
      `npm run --silent admin -- ${name}`,
      ...positionals.map((key) => `<${key}>`),
      ...optionNames.map((key) => optionUsage(key, flags, options.shape[key])),
      "[--json]",
    ].join(" "),
    run: (target, values) => {
      const parsed = options.safeParse(values);
      if (parsed.success) return run(target, parsed.data);
      throw new UsageError(parsed.error.issues.map(describeIssue).join("\n"));
    },
  };
}

function optionUsage(key: string, flags: readonly string[], schema: z.core.$ZodType | undefined) {
  const shown = flags.includes(key) ? `--${key}` : `--${key} <${key}>`;
  const isOptional = schema?._zod.optin !== undefined || flags.includes(key);
  return isOptional ? `[${shown}]` : shown;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.join(".");
  if (name === "") return issue.message;
  return issue.code === "invalid_type" && issue.input === undefined
    ? `--${name} is missing`
    : `--${name}: ${issue.message}`;
}
