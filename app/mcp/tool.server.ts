import "~/wire/zod-words";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Services } from "~/context/services.server";
import { type Actor, Once } from "~/db/rpc.server";
import type { Principal } from "~/wire/accounts/contract";
import { idempotencyKeySchema } from "~/wire/concurrency";
import { ContractError, type Issue } from "~/wire/errors";
import { idempotencyField } from "~/wire/idempotency-field";
import type { Scope } from "~/wire/oauth/contract";

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

/** Whether clients ask a person before a write. Default: it adds or moves something another call can reverse. */
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
  unknownIn(rawArguments: unknown): string[];
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
    unknownIn: (rawArguments) => unknownArguments(input, rawArguments),
    onceOf: (rawArguments) => (creates ? readOnce(name, rawArguments) : undefined),
    call: (context, rawArguments) => run(context, parseArguments(name, input, rawArguments)),
  };
}

const keyInput = z.object({ [idempotencyField]: idempotencyKeySchema.optional() });

function withKey(schema: Tool["inputSchema"]): Tool["inputSchema"] {
  return { ...schema, properties: { ...Object(schema.properties), [idempotencyField]: { type: "string" } } };
}

function readOnce(name: string, rawArguments: unknown): Once | undefined {
  const given = { [idempotencyField]: childOf(rawArguments, idempotencyField) };
  const { [idempotencyField]: key } = parseArguments(name, keyInput, given);
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
  return { ...oneTypeEach(schema), type: "object" };
}

/** Strict models refuse a list of types, for which alternatives say the same, and items without a type. */
function oneTypeEach<Schema>(schema: Schema): Schema;
function oneTypeEach(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(oneTypeEach);
  if (!isRecord(schema)) return schema;
  const { type, items, ...rest } = schema;
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) plain[key] = oneTypeEach(value);
  if (isRecord(items)) plain.items = "type" in items || "anyOf" in items ? oneTypeEach(items) : { type: "object" };
  if (Array.isArray(type)) plain.anyOf = type.map((one) => ({ type: one }));
  else if (type !== undefined) plain.type = oneTypeEach(type);
  return plain;
}

/** Descriptions of arguments that a model would have to guess, where a tool gives none. */
const words: Readonly<Record<string, string>> = {
  blocked_by: "Ids or codes",
  escalate_to: "Who answers then",
  expires_in_seconds: "Default: a day",
  metadata: "Facts",
  on_expiry: "Default STOP",
  priority: "Lowest first; default 3",
  reach: "permission: host",
  recommended_option: "From 0",
  requires_opus: "Only by model opus",
  strategy: "One branch, a branch per story, or one job",
  verify_required: "Least that passes",
};

const bounds = [
  ...(["pattern", "minimum", "maximum", "minItems", "maxItems"] as const),
  ...(["minLength", "maxLength", "propertyNames"] as const),
];

/**
 * Models read every byte of a schema at each start, and strict ones take few forms. Removes patterns and bounds, which
 * the error names. A `brief` object keeps one line, and the names and types of its fields.
 */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  for (const bound of bounds) delete schema[bound];
  const properties = Object.entries(schema.properties ?? {});
  if (typeof schema.brief === "string") {
    schema.description = schema.brief;
    schema.properties = Object.fromEntries(properties.map(([name, field]) => [name, typeIn(field)]));
    delete schema.brief;
  } else {
    for (const [name, field] of properties) {
      if (typeof field === "object" && name in words) field.description ??= words[name];
    }
  }
  if (saysNothing(schema.additionalProperties)) delete schema.additionalProperties;
}

/** The type alone, of an alternative the first one. */
function typeIn(field: z.core.JSONSchema._JSONSchema): z.core.JSONSchema.BaseSchema {
  if (typeof field === "boolean") return {};
  const [first] = field.anyOf ?? field.oneOf ?? [];
  if (field.type === undefined && first !== undefined) return typeIn(first);
  if (field.type !== "array") return { type: field.type ?? "string" };
  return {
    type: "array",
    items: typeIn(typeof field.items === "object" && !Array.isArray(field.items) ? field.items : {}),
  };
}

/** Whether `additionalProperties` adds no information, because the named fields already say it. */
function saysNothing(others: z.core.JSONSchema.BaseSchema["additionalProperties"]): boolean {
  return others === false || (typeof others === "object" && Object.keys(others).length === 0);
}

function parseArguments<Input extends z.ZodObject>(name: string, input: Input, rawArguments: unknown): z.output<Input> {
  const given = rawArguments ?? {};
  const first = input.safeParse(given);
  const parsed = first.success ? first : input.safeParse(readTexts(given, first.error.issues));
  if (parsed.success) return parsed.data;
  const issues: Issue[] = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const unknown = unknownArguments(input, given);
  const message = `has unknown fields: ${unknown.join(", ")}`;
  const isNamed = issues.some((issue) => issue.message === message);
  if (unknown.length > 0 && !isNamed) issues.push({ path: "", message });
  throw new ContractError(422, `The arguments of ${name} do not fit`, { issues });
}

function unknownArguments(input: z.ZodObject, given: unknown): string[] {
  const names = Object.keys(isRecord(given) ? given : {});
  return names.filter((name) => !Object.hasOwn(input.shape, name) && name !== idempotencyField);
}

/** Some clients send every argument as text: what is a number, a list and so on as JSON is read as such. */
function readTexts(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const read: unknown = structuredClone(given);
  for (const { code, path } of issues) {
    const field = path.at(-1);
    const parent = path.slice(0, -1).reduce(childOf, read);
    const value = field === undefined ? undefined : childOf(parent, field);
    if (typeof value !== "string" || !/^invalid_(type|union|value)$/.test(code)) continue;
    if (field !== undefined && isRecord(parent)) parent[field] = jsonIn(value);
  }
  return read;
}

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === "object" && value !== null;

const childOf = (parent: unknown, field: PropertyKey): unknown =>
  isRecord(parent) && Object.hasOwn(parent, field) ? parent[field] : undefined;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Agents tend to create duplicates: an open sibling's title is refused, unless the caller insists or gives a code. */
export const duplicates = {
  allow_duplicate: z.boolean().optional().describe("Create it even if an open sibling has the same title"),
};

export function refusesSimilar(insists = false, code?: string): { refuse_similar: boolean } {
  return { refuse_similar: !insists && code === undefined };
}
