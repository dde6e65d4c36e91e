import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { ContractError } from "~/contract/errors";
import { parseMeasured } from "~/contract/measured-json";

/** Maximum messages in one batch. Their tool calls run one after another. */
const mostMessages = 20;

/**
 * Answers one POST of the protocol without keeping state: revision 2026-07-28 and, for clients that start with
 * `initialize`, revisions up to 2025-11-25. Always answers one JSON body, never a stream, so that it passes every
 * proxy and works with plain curl.
 */
export async function answerProtocolRequest(
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
  return Response.json(
    { jsonrpc: "2.0", id: null, error: { code: -32600, message } },
    { status: 400 },
  );
}

async function answerHandshakeRevision(
  request: Request,
  message: unknown,
  server: Server,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await Promise.race([
      transport.handleRequest(request, { parsedBody: message }),
      callerGone(request.signal),
    ]);
  } finally {
    await transport.close();
  }
}

/** Resolves when the caller hangs up, to end the call. No one reads this answer. */
function callerGone(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(new Response(null, { status: 499 })), {
      once: true,
    });
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
