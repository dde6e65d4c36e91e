import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerBuild } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { methodNotAllowed, noContent, problem } from "~/http/responses.server";
import { howProgramsSignIn } from "./program-sign-in";
import type { NodeRequestContext } from "./request-context";
import type { RequestTarget } from "./request-target";
import { createRouteTable, type RouteMatch, type RouteTable } from "./route-table";
import { sendApiResponse } from "./send-response";
import { webHeaders } from "./web-headers";

type RouteFunction = NonNullable<RouteMatch["route"]["module"]["loader"]>;

/**
 * The fast lane: hands a request under /api or /mcp straight to the loader or action of its resource
 * route. Remix's router would cost more than the work itself.
 */
export interface ApiLane {
  answer(
    target: RequestTarget,
    request: IncomingMessage,
    response: ServerResponse,
    context: NodeRequestContext,
  ): Promise<void>;
}

export function createApiLane(origin: string): {
  forBuild(build: Pick<ServerBuild, "routes">): ApiLane;
} {
  let known: { build: object; lane: ApiLane } | undefined;
  return {
    forBuild(build) {
      if (known?.build !== build) known = { build, lane: laneOf(createRouteTable(build), origin) };
      return known.lane;
    },
  };
}

function laneOf(table: RouteTable, origin: string): ApiLane {
  return {
    async answer(target, request, response, context) {
      const answer = await dispatch(table, origin, target, request, context);
      if (context.isStreaming) return;
      await sendApiResponse(answer, request, response);
    },
  };
}

async function dispatch(
  table: RouteTable,
  origin: string,
  target: RequestTarget,
  request: IncomingMessage,
  context: NodeRequestContext,
): Promise<Response> {
  const match = isServed(target) ? table.match(target.pathname) : undefined;
  const handler = match && handlerOf(match, request.method ?? "");
  if (!match || !handler) return problem(unknownAddress(target.pathname));

  const allowed = methodsOf(handler);
  if (request.method === "OPTIONS") {
    return noContent({ allow: allowed.join(", ") });
  }
  if (!allowed.includes(request.method ?? "")) return methodNotAllowed(allowed);

  const answer = await handler({
    request: toWebRequest(origin, target, request),
    params: match.params,
    context,
  });
  if (answer instanceof Response) return answer;
  throw new Error(`${match.route.id} answered with something that is no response`);
}

/** Remix's data addresses are no aliases of the API. */
function isServed(target: RequestTarget): boolean {
  return !target.isBroken && !/[?&]_data(?:=|&|$)/.test(target.search);
}

function handlerOf(match: RouteMatch, method: string): RouteFunction | undefined {
  const { loader, action, default: page } = match.route.module;
  if (page !== undefined) return undefined;
  return method === "GET" || method === "HEAD" ? (loader ?? action) : (action ?? loader);
}

/** The methods that the route's builder has noted on its handler. */
function methodsOf(handler: RouteFunction): readonly string[] {
  if (!("methods" in handler) || !Array.isArray(handler.methods)) return ["GET", "HEAD", "OPTIONS"];
  return handler.methods.map(String);
}

function unknownAddress(pathname: string): ContractError {
  if (pathname.startsWith("/.well-known")) return howProgramsSignIn(404);
  return new ContractError(404, "There is no such address; /openapi.json lists them all.");
}

function toWebRequest(origin: string, target: RequestTarget, request: IncomingMessage): Request {
  // The body stays with the load context, which caps it.
  return new Request(`${origin}${target.pathname}${target.search}`, {
    method: request.method ?? "GET",
    headers: webHeaders(request),
  });
}
