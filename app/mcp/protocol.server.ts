import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { ContractError } from "~/wire/errors";
import { parseMeasured } from "~/wire/measured-json";

/** Maximum messages in one batch. Their tool calls run one after another. */
const mostMessages = 20;

/**
 * Keeps no state: revision 2026-07-28 and, for clients that start with `initialize`, up to 2025-11-25. Always one JSON
 * body, never a stream, so that it passes every proxy and works with plain curl.
 */
export async function answerProtocolRequest(
  request: Request,
  refuse: (message: unknown) => Response | undefined,
  createServer: () => Server,
): Promise<Response> {
  return inWords(await answerMessage(request, refuse, createServer));
}

const failedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.object({ code: z.literal(ProtocolErrorCode.InternalError), message: z.string() }),
});
const issuesSchema = z
  .array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
  .min(1);

/** The protocol's library calls parameters that it cannot read an internal error, and answers with its raw issues. */
async function inWords(answer: Response): Promise<Response> {
  const text = await answer.text();
  const asked = text.includes(`"code":${ProtocolErrorCode.InternalError}`) && parseJson(text);
  const one = (failed: unknown): unknown => {
    const found = failedSchema.safeParse(failed).data;
    const [issue] = issuesSchema.safeParse(found && parseJson(found.error.message)).data ?? [];
    if (!found || !issue) return failed;
    const place = issue.path.join(".") || "params";
    const message = `The parameters are not valid: ${place}: ${issue.message}`;
    return { ...found, error: { code: ProtocolErrorCode.InvalidParams, message } };
  };
  const body = asked ? JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)) : text;
  const { status, headers } = answer;
  return new Response(status === 202 || status === 204 ? null : body, { status, headers });
}

async function answerMessage(
  request: Request,
  refuse: (message: unknown) => Response | undefined,
  createServer: () => Server,
): Promise<Response> {
  const message = parseJson(await request.clone().text());
  if (Array.isArray(message) && message.length > mostMessages) return refuseBatch();
  const refusal = refuse(message);
  if (refusal) return refusal;
  if (message !== undefined && (await isLegacyRequest(request, message))) {
    return answerHandshakeRevision(request, message, createServer());
  }
  const factory: McpServerFactory = createServer;
  const handler = createMcpHandler(factory, { legacy: "reject" });
  return handler.fetch(request, { parsedBody: message });
}

function refuseBatch(): Response {
  const message = `A batch holds at most ${mostMessages} messages. Send the others in a further request.`;
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }, { status: 400 });
}

async function answerHandshakeRevision(request: Request, message: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody: message }), callerGone(request.signal)]);
  } finally {
    await transport.close();
  }
}

/** Resolves when the caller hangs up, to end the call. No one reads this answer. */
function callerGone(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(new Response(null, { status: 499 })), { once: true });
  });
}

/** Returns undefined for invalid JSON, which the protocol layer answers itself. */
function parseJson(text: string): unknown {
  try {
    return parseMeasured(text);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    return undefined;
  }
}
