import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import type { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { ContractError, demoRefusal } from "~/wire/errors";
import type { Tool, ToolContext, ToolResult } from "./tool.server";

interface ServerDescription {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  listed: readonly Tool[];
  skills: SkillsExtension | undefined;
  /** Demo accounts are read-only: they neither see nor may call write tools. */
  isDemo: boolean;
  context: ToolContext;
  /** Aborted when the caller hangs up. */
  closeSignal: AbortSignal;
  reportError(error: unknown): void;
}

/** Creates the protocol server of one request. It lists the allowed tools, runs them, and maps refusals. */
export function createToolServer(description: ServerDescription): Server {
  const { version, instructions, listed, skills, isDemo, closeSignal } = description;
  const mcp = new McpServer(
    { name: "backloom", title: "Backloom", version },
    { capabilities: { tools: {} }, instructions },
  );
  skills?.attach(mcp);
  const { server } = mcp;
  server.setRequestHandler("tools/list", () => ({
    tools: listed.filter((tool) => tool.access === "read" || !isDemo).map(describeTool),
  }));
  let earlier: Promise<unknown> = Promise.resolve();
  server.setRequestHandler("tools/call", (request, callContext) => {
    const { name, arguments: given } = request.params;
    const call = () => callTool(description, name, given, callContext.mcpReq.signal);
    // Calls of a batch run one after another, and stop when the caller hangs up.
    const callInTurn = () => {
      closeSignal.throwIfAborted();
      return call();
    };
    const result = earlier.then(callInTurn, callInTurn);
    earlier = result;
    return result;
  });
  return server;
}

function describeTool({ name, title, description, inputSchema, annotations }: Tool) {
  return { name, title, description, inputSchema, annotations };
}

async function callTool(
  { tools, isDemo, context, reportError }: ServerDescription,
  name: string,
  rawArguments: unknown,
  callSignal: AbortSignal,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${name}: see tools/list`);
  try {
    if (isDemo && tool.access === "write") throw new ContractError(403, demoRefusal);
    const signal = AbortSignal.any([context.signal, callSignal]);
    const once = tool.onceOf(rawArguments);
    const actor = { ...context.actor, once };
    const result = await tool.call({ ...context, actor, signal }, rawArguments);
    const ignored = tool.unknownIn(rawArguments);
    const said = ignored.length > 0 ? { ...result, ignored_arguments: ignored } : result;
    return toolSuccess(said, once?.wasReplayed);
  } catch (error) {
    if (error instanceof ContractError) return toolFailure(error);
    reportError(error);
    return toolFailure(new ContractError(500, "Something went wrong on the server; try again"));
  }
}

/** Next steps for refusals whose messages cannot mention tools. */
const hints: Partial<Record<number, string>> = {
  403: "Ask a member of the product for access, or use a token of an account that may write.",
  404: "Look the id or code up with list_products, get_context or search.",
  409: "Read the current state again before you decide what to do.",
  422: "Correct the arguments that the error names and call again.",
  429: "Wait for the seconds in `retry_after`, then call again.",
};

/** Result of a successful call, also as text for clients that show only text. */
function toolSuccess(result: ToolResult, wasReplayed = false): CallToolResult {
  return {
    ...(wasReplayed ? { _meta: { "backloom/idempotency-replayed": true } } : {}),
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: result,
  };
}

/** Tool error of a refused call: the REST error body with a hint for the next step. */
function toolFailure(error: ContractError): CallToolResult {
  const body: ToolResult = { ...error.detail, ...error.toBody() };
  if (error.retryAfter !== undefined) body.retry_after = error.retryAfter;
  const hint = hints[error.status];
  // Issues say what to do.
  if (hint !== undefined && body.issues === undefined) body.hint ??= hint;
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: body };
}
