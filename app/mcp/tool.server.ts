import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Principal } from "~/contract/account";
import { ContractError, type Issue } from "~/contract/errors";
import { idempotencyKeySchema } from "~/contract/idempotency";
import { idempotencyField } from "~/contract/idempotency-field";
import type { Scope } from "~/contract/oauth";
import { idSchema } from "~/contract/text";
import { Once } from "~/db/once.server";
import type { Actor } from "~/db/rpc.server";
import type { Services } from "~/services.server";

const idPattern = z.toJSONSchema(idSchema).pattern;

/** What a tool may use: who calls, the services of this process, and when to give up waiting. */
export interface ToolContext {
  actor: Actor;
  principal: Principal;
  services: Services;
  /** Aborted when the caller is gone or the process is about to stop. */
  signal: AbortSignal;
}

/** The structured result of a tool: REST field names, lowercase statuses. */
export type ToolResult = Record<string, unknown>;

/**
 * What clients ask a person about before they call a tool that writes. Without it a tool adds or moves something, and
 * another call moves it back.
 */
interface Effect {
  /** Ends or changes what no other call brings back. */
  destructive?: true;
  /** The same call again changes nothing more. */
  repeatable?: true;
}

interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** `write` tools are neither listed for demo accounts nor run for them. */
  access: "read" | "write";
  /** Any of these is enough to see and call it; without a word `read` for what reads, `plan` for what writes. */
  scopes?: readonly Scope[];
  effect?: Effect;
  /** It makes something: a call that is sent again with its idempotency_key makes it once. */
  creates?: true;
  input: Input;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolResult>;
}

/** One tool as the protocol shows it, with a call that validates its own arguments. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  access: "read" | "write";
  scopes: readonly Scope[];
  annotations: ToolAnnotations;
  inputSchema: { type: "object"; [key: string]: unknown };
  /** The key that this call was sent with, where the tool takes one. */
  onceOf(rawArguments: unknown): Once | undefined;
  call(context: ToolContext, rawArguments: unknown): Promise<ToolResult>;
}

/** Turns a definition into a tool: the JSON schema is made once, arguments pass the same zod schema. */
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

/** Whatever is not said counts as the worst: a client that cannot ask a person then calls nothing that writes. */
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

/** Up to here a text that may be empty only names something, as a commit or a branch: it is copied, and not written to fit. */
const longestName = 300;

/**
 * Every byte of a schema is read by a model at each start: patterns that a format says, and bounds that say nothing, go.
 * What is `brief` is told in one line and the names of its fields; the refusal of what does not fit says the rest.
 */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern === idPattern) schema.format = "uuid";
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.minimum === 0 && schema.maximum === undefined) delete schema.minimum;
  if (!schema.minLength && (schema.maxLength ?? Infinity) <= longestName) delete schema.maxLength;
  if (schema.minLength === 1) delete schema.minLength;
  // A name or an address that is too long is refused in words; no model has one by design.
  if ((schema.maxLength ?? 300) < 300) delete schema.maxLength;
  if (schema.propertyNames !== undefined) delete schema.propertyNames;
  if (typeof schema.brief === "string") {
    schema.description = schema.brief;
    const names = Object.keys(schema.properties ?? {});
    schema.properties = Object.fromEntries(names.map((name) => [name, {}]));
    delete schema.brief;
  }
  if (saysNothing(schema.additionalProperties)) delete schema.additionalProperties;
}

/** That there are no other fields is said by those that are named. */
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
