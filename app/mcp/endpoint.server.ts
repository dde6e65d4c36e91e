import { bearerAuthChallengeResponse, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import type { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { z } from "zod";
import type { RequestContext } from "~/context/load-context";
import { bodyLimit } from "~/context/read-body";
import type { Actor } from "~/db/rpc.server";
import { apiRoute, type Endpoint, endpoint, type RouteHandler } from "~/http/endpoint.server";
import { problem } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { resourceMetadataUrl, scopesOf } from "~/oauth/metadata.server";
import { ContractError } from "~/wire/errors";
import { measureJson, unacceptable } from "~/wire/measured-json";
import type { Audience, Scope } from "~/wire/oauth/contract";
import { oldestWorkerProtocol, workerProtocolHeader } from "~/wire/workers/worker-protocol";
import { answerProtocolRequest } from "./protocol.server";
import { createToolServer } from "./server.server";
import type { Tool } from "./tool.server";

type Call = { request: Request; context: RequestContext; actor: Actor };

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
  const refuse = (message: unknown) => refuseOutOfScope(message, { tools, granted, origin: context.origin, audience });
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
    `This worker is too old for this service. Get the current one: curl -fsS ${origin}/worker.mjs -o ~/backloom-worker.mjs`,
  );
}

/** Rebuilds the request with a reliable abort signal, and accepts both media types so that curl need not list them. */
async function toProtocolRequest({ request, context }: Call): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  headers.delete("content-length");
  const body = await context.readBody(bodyLimit);
  const excess = measureJson(new TextDecoder().decode(body));
  if (excess) throw unacceptable("", excess);
  return new Request(request.url, { method: "POST", headers, body, signal: context.closeSignal });
}

/** Its 401 says where a program reads how to sign in (RFC 9728); the body stays the one that clients know. */
function challenging(endpoint: Endpoint, audience: Audience): Endpoint {
  const answer: typeof endpoint = Object.assign(
    async (args: Parameters<Endpoint>[0]) => {
      try {
        return await endpoint(args);
      } catch (error) {
        if (!(error instanceof ContractError) || error.status !== 401) throw error;
        const { origin } = args.context;
        const hasToken = args.request.headers.has("authorization");
        return problem(error, { "www-authenticate": challenge(origin, audience, hasToken) });
      }
    },
    { description: endpoint.description },
  );
  return answer;
}

function challenge(origin: string, audience: Audience, hasToken: boolean): string {
  const resource = resourceMetadataUrl(origin, audience);
  // A request without a token gets no error code (RFC 6750, 3.1).
  if (!hasToken) return `Bearer resource_metadata="${resource}", scope="${scopesOf(audience).join(" ")}"`;
  const error = new OAuthError(OAuthErrorCode.InvalidToken, "The token is unknown, expired or revoked");
  const refusal = bearerAuthChallengeResponse(error, {
    requiredScopes: [...scopesOf(audience)],
    resourceMetadataUrl: resource,
  });
  return refusal.headers.get("www-authenticate") ?? "Bearer";
}

const toolCall = z.looseObject({ method: z.literal("tools/call"), params: z.looseObject({ name: z.string() }) });

/** Whether a token with these scopes sees and may call the tool. Null scopes allow every tool. */
function isInScope(tool: Pick<Tool, "scopes">, granted: readonly Scope[] | null): boolean {
  return granted === null || tool.scopes.some((scope) => granted.includes(scope));
}

type ScopeQuestion = { tools: readonly Tool[]; granted: readonly Scope[] | null; origin: string; audience: Audience };

/** 403 before any tool runs: only then does a program ask its user for more, some for exactly the scopes named. */
function refuseOutOfScope(message: unknown, asked: ScopeQuestion): Response | undefined {
  const { tools, granted, origin, audience } = asked;
  if (granted === null) return undefined;
  for (const each of Array.isArray(message) ? message : [message]) {
    const called = toolCall.safeParse(each);
    const tool = called.success && tools.find(({ name }) => name === called.data.params.name);
    if (!tool || isInScope(tool, granted)) continue;
    const [needed = "read"] = tool.scopes;
    const text = `The tool ${tool.name} needs the scope ${needed}`;
    return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InsufficientScope, text), {
      requiredScopes: [...granted, needed],
      resourceMetadataUrl: resourceMetadataUrl(origin, audience),
    });
  }
  return undefined;
}
