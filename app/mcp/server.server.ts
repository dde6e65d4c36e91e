import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { ContractError, demoRefusal } from "~/contract/errors";
import type { Tool, ToolContext } from "./tool.server";
import { toolFailure, toolSuccess } from "./tool-outcome.server";

interface ServerDescription {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  /** Demo accounts read: they see no writing tool and may call none. */
  isDemo: boolean;
  context: ToolContext;
  /** Aborted when the caller has hung up. */
  closeSignal: AbortSignal;
  reportError(error: unknown): void;
}

/** One protocol server for one request: lists what the token may do, runs a tool, maps refusals. */
export function createToolServer(description: ServerDescription): Server {
  const { version, instructions, tools, isDemo, closeSignal } = description;
  const server = new Server(
    { name: "backloom", title: "Backloom", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: tools.filter((tool) => tool.access === "read" || !isDemo).map(describeTool),
  }));
  let earlier: Promise<unknown> = Promise.resolve();
  server.setRequestHandler("tools/call", (request, callContext) => {
    const { name, arguments: given } = request.params;
    const call = () => callTool(description, name, given, callContext.mcpReq.signal);
    // A batch comes as one request, and is no reason to make many calls at a time; nor does one go on that nobody waits for.
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
  if (!tool) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${name}: see tools/list`,
    );
  }
  try {
    if (isDemo && tool.access === "write") {
      throw new ContractError(403, demoRefusal);
    }
    const signal = AbortSignal.any([context.signal, callSignal]);
    return toolSuccess(await tool.call({ ...context, signal }, rawArguments));
  } catch (error) {
    if (error instanceof ContractError) return toolFailure(error);
    reportError(error);
    return toolFailure(new ContractError(500, "Something went wrong on the server; try again"));
  }
}
