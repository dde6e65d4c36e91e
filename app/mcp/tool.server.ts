import { z } from "zod";
import type { Principal } from "~/contract/account";
import { ContractError, type Issue } from "~/contract/errors";
import { idSchema } from "~/contract/text";
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

interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** `write` tools are neither listed for demo accounts nor run for them. */
  access: "read" | "write";
  input: Input;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolResult>;
}

/** One tool as the protocol shows it, with a call that validates its own arguments. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  access: "read" | "write";
  inputSchema: { type: "object"; [key: string]: unknown };
  call(context: ToolContext, rawArguments: unknown): Promise<ToolResult>;
}

/** Turns a definition into a tool: the JSON schema is made once, arguments pass the same zod schema. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, access, input, run } = definition;
  return {
    name,
    title,
    description,
    access,
    inputSchema: toInputSchema(input),
    call: (context, rawArguments) => run(context, parseArguments(name, input, rawArguments)),
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

/** Every byte of a schema is read by a model at each start: patterns that a format says, and bounds that say nothing, go. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern === idPattern) schema.format = "uuid";
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
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
  throw new ContractError(422, `The arguments of ${name} do not fit its input schema`, { issues });
}
