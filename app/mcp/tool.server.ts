import "~/contract/zod-words";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { idempotencyKeySchema } from "~/contract/concurrency";
import { ContractError, type Issue } from "~/contract/errors";
import { idempotencyField } from "~/contract/idempotency-field";
import { idSchema } from "~/contract/text";
import { type Actor, Once } from "~/db/rpc.server";
import type { Principal } from "~/nouns/accounts/contract";
import type { Scope } from "~/nouns/oauth/contract";
import type { Services } from "~/services.server";

const idPattern = z.toJSONSchema(idSchema).pattern;

/** What a tool gets: the caller, the services of this process, and an abort signal. */
export interface ToolContext {
  actor: Actor;
  principal: Principal;
  services: Services;
  /** Aborted when the caller hangs up or the process stops. */
  signal: AbortSignal;
}

/** The structured result of a tool: REST field names, lowercase statuses. */
export type ToolResult = Record<string, unknown>;

/**
 * Tells clients whether to ask a person before a write. The default is a tool that adds or moves something another call
 * can reverse.
 */
interface Effect {
  /** Ends or changes something irreversibly. */
  destructive?: true;
  /** Idempotent: repeating the call changes nothing more. */
  repeatable?: true;
}

interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** `write` tools are neither listed nor run for demo accounts. */
  access: "read" | "write";
  /** Any of these scopes suffices to see and call it. Default: `read` for read tools, `plan` for write tools. */
  scopes?: readonly Scope[];
  effect?: Effect;
  /** Creates something, so the tool takes an idempotency_key that makes repeated calls create it once. */
  creates?: true;
  input: Input;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolResult>;
}

/** One tool as the protocol shows it. `call` validates its arguments. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  access: "read" | "write";
  scopes: readonly Scope[];
  annotations: ToolAnnotations;
  inputSchema: { type: "object"; [key: string]: unknown };
  /** Returns the idempotency key of this call, if the tool takes one. */
  onceOf(rawArguments: unknown): Once | undefined;
  call(context: ToolContext, rawArguments: unknown): Promise<ToolResult>;
}

/** Turns a definition into a tool. Its JSON schema is built once; arguments are parsed with the same zod schema. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, access, effect, creates, input, run } = definition;
  const scopes = definition.scopes ?? [access === "read" ? "read" : "plan"];
  return {
    name,
    title,
    description,
    access,
    scopes,
    annotations: annotate(access, effect),
    inputSchema: creates ? withKey(toInputSchema(input)) : toInputSchema(input),
    onceOf: (rawArguments) => (creates ? readOnce(name, rawArguments) : undefined),
    call: (context, rawArguments) => run(context, parseArguments(name, input, rawArguments)),
  };
}

const keyInput = z.object({ [idempotencyField]: idempotencyKeySchema.optional() });

function withKey(schema: Tool["inputSchema"]): Tool["inputSchema"] {
  return {
    ...schema,
    properties: { ...Object(schema.properties), [idempotencyField]: { type: "string" } },
  };
}

function readOnce(name: string, rawArguments: unknown): Once | undefined {
  const { [idempotencyField]: key } = parseArguments(name, keyInput, rawArguments);
  return key === undefined ? undefined : new Once(key);
}

/** Sets all hints, because clients assume the worst for missing ones and then call no write tool without a person. */
function annotate(access: Tool["access"], { destructive, repeatable }: Effect = {}) {
  if (access === "read") return { readOnlyHint: true, openWorldHint: false };
  return {
    readOnlyHint: false,
    destructiveHint: destructive === true,
    openWorldHint: false,
    ...(repeatable ? { idempotentHint: true } : {}),
  };
}

function toInputSchema(input: z.ZodObject): Tool["inputSchema"] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => shorten(jsonSchema),
  });
  return { ...schema, type: "object" };
}

/**
 * Shortens a schema, because models read every byte of it at each start. Removes patterns that a format implies
 * and bounds that calls rarely miss; the error names them. A `brief` object keeps one line and its field names.
 */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern === idPattern) schema.format = "uuid";
  if (schema.format !== undefined) delete schema.pattern;
  if ((schema.maximum ?? 0) >= 2 ** 31 - 1) delete schema.maximum;
  if ((schema.minimum ?? 2) < 2 && schema.maximum === undefined) delete schema.minimum;
  if (schema.minItems === 1) delete schema.minItems;
  if ((schema.maxItems ?? 0) > 50) delete schema.maxItems;
  delete schema.minLength;
  delete schema.maxLength;
  if (schema.propertyNames !== undefined) delete schema.propertyNames;
  if (typeof schema.brief === "string") {
    schema.description = schema.brief;
    const names = Object.keys(schema.properties ?? {});
    schema.properties = Object.fromEntries(names.map((name) => [name, {}]));
    delete schema.brief;
  }
  if (saysNothing(schema.additionalProperties)) delete schema.additionalProperties;
}

/** Whether `additionalProperties` adds no information, because the named fields already say it. */
function saysNothing(others: z.core.JSONSchema.BaseSchema["additionalProperties"]): boolean {
  return others === false || (typeof others === "object" && Object.keys(others).length === 0);
}

function parseArguments<Input extends z.ZodObject>(
  name: string,
  input: Input,
  rawArguments: unknown,
): z.output<Input> {
  const parsed = input.safeParse(rawArguments ?? {});
  if (parsed.success) return parsed.data;
  const issues: Issue[] = parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
  throw new ContractError(
    422,
    `The arguments of ${name} do not fit its input schema. Correct what the issues name.`,
    { issues },
  );
}

/**
 * Agents tend to create duplicates: a title that an open sibling has is refused, unless the caller insists or gives
 * the item a code.
 */
export const duplicates = {
  allow_duplicate: z
    .boolean()
    .optional()
    .describe("Create it even if an open sibling has the same title"),
};

export function refusesSimilar(insists = false, code?: string): { refuse_similar: boolean } {
  return { refuse_similar: !insists && code === undefined };
}
