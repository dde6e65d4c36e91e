import type { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { apiRoute, type RouteHandler } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { authenticate } from "~/nouns/accounts/authenticate.server";
import type { Audience } from "~/nouns/oauth/contract";
import { oldestWorkerProtocol, workerProtocolHeader } from "~/nouns/workers/worker-protocol";
import type { RequestContext } from "~/server/load-context";
import { bodyLimit } from "~/server/read-body";
import { challenging, isInScope, refuseOutOfScope } from "./challenge.server";
import { answerProtocolRequest } from "./protocol.server";
import { createToolServer } from "./server.server";
import type { Tool } from "./tool.server";

interface Call {
  request: Request;
  context: RequestContext;
  actor: Actor;
}

/** Audience, instructions and tools of one MCP endpoint. */
export interface Offer {
  audience: Audience;
  instructions: string;
  /** What it answers. */
  tools: readonly Tool[];
  /** What it lists; all when absent. */
  listed?: readonly Tool[];
  skills?: SkillsExtension;
}

/** Route of `/mcp`, `/mcp/all` or `/mcp/worker`. It lists its tools over MCP, not in the OpenAPI document. */
export function toolsRoute(offer: Offer): RouteHandler {
  return apiRoute({
    POST: challenging(
      endpoint({
        name: "callTools",
        summary: "Send messages of the Model Context Protocol",
        auth: "bearer",
        audience: offer.audience,
        answer: z.unknown(),
        handle: (call) => serveTools(call, offer),
      }),
      offer.audience,
    ),
  });
}

/** Answers one POST. */
async function serveTools(call: Call, offer: Offer): Promise<Response> {
  const { audience, instructions, tools, listed = tools, skills } = offer;
  const { request, context } = call;
  // Each tool call has its own key in its arguments.
  const actor: Actor = { ...call.actor, once: undefined };
  refuseOldWorker(request, context.services.env.appOrigin);
  const principal = await authenticate(actor);
  const { services, closeSignal } = context;
  const signal = AbortSignal.any([closeSignal, services.stopSignal]);
  const { scopes: granted, is_demo: isDemo } = principal;
  const refuse = (message: unknown) =>
    refuseOutOfScope(message, { tools, granted, origin: context.origin, audience });
  return answerProtocolRequest(await toProtocolRequest(call), refuse, () =>
    createToolServer({
      version: services.version,
      instructions,
      tools: tools.filter((tool) => isInScope(tool, granted)),
      listed: listed.filter((tool) => isInScope(tool, granted)),
      skills,
      isDemo,
      context: { actor, principal, services, signal },
      closeSignal,
      reportError: (error) => context.log.error({ err: error }, "a tool failed"),
    }),
  );
}

/** Refuses outdated workers. Agents that act as workers send no version, because they read the current tools. */
function refuseOldWorker(request: Request, origin: string): void {
  const protocol = request.headers.get(workerProtocolHeader);
  if (protocol === null || Number(protocol) >= oldestWorkerProtocol) return;
  throw new ContractError(
    410,
    `This worker is too old for this service. Get the current one: curl -fsS ${origin}/worker.mjs -o backloom-worker.mjs`,
  );
}

/** Rebuilds the request with a reliable abort signal, and accepts both media types so that curl need not list them. */
async function toProtocolRequest({ request, context }: Call): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  headers.delete("content-length");
  return new Request(request.url, {
    method: "POST",
    headers,
    body: await context.readBody(bodyLimit),
    signal: context.closeSignal,
  });
}
