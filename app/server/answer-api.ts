import type { IncomingMessage, ServerResponse } from "node:http";
import { methodNotAllowed, noContent, problem } from "~/http/responses.server";
import { ContractError } from "~/wire/errors";
import { sendApiResponse, webHeaders } from "./node-adapter";
import { howProgramsSignIn } from "./problems";
import type { NodeRequestContext } from "./request-context";
import type { RequestTarget } from "./request-target";
import type { RouteMatch, RouteTable } from "./route-table";

type RouteFunction = NonNullable<RouteMatch["route"]["module"]["loader"]>;

export interface ApiRequest {
  target: RequestTarget;
  request: IncomingMessage;
  response: ServerResponse;
  context: NodeRequestContext;
}

/** Straight to the loader or action of its resource route: Remix's router would cost more than the work itself. */
export async function answerApi(routes: RouteTable, origin: string, call: ApiRequest): Promise<void> {
  const answer = await dispatch(routes, origin, call);
  if (!call.context.isStreaming) await sendApiResponse(answer, call.request, call.response);
}

async function dispatch(
  routes: RouteTable,
  origin: string,
  { target, request, context }: ApiRequest,
): Promise<Response> {
  const method = request.method ?? "GET";
  const match = isServed(target) ? routes.match(target.pathname) : undefined;
  const handler = match && handlerOf(match, method);
  if (handler) context.route = match.route.pattern;
  if (!match || !handler) return problem(unknownAddress(target.pathname));

  const allowed = methodsOf(handler);
  if (method === "OPTIONS") return noContent({ allow: allowed.join(", ") });
  if (!allowed.includes(method)) return methodNotAllowed(allowed);

  const url = `${origin}${target.pathname}${target.search}`;
  const answer = await handler({
    // No body here: handlers read it through the load context, which caps its size.
    request: new Request(url, { method, headers: webHeaders(request) }),
    params: match.params,
    context,
  });
  if (answer instanceof Response) return answer;
  throw new Error(`${match.route.id} did not return a response`);
}

/** False for broken paths and for Remix data requests (`?_data=`), which must not act as aliases of the API. */
function isServed(target: RequestTarget): boolean {
  return !target.isBroken && !/[?&]_data(?:=|&|$)/.test(target.search);
}

function handlerOf(match: RouteMatch, method: string): RouteFunction | undefined {
  const { loader, action, default: page } = match.route.module;
  if (page !== undefined) return undefined;
  return method === "GET" || method === "HEAD" ? loader : (action ?? loader);
}

/** Returns the methods that the route's builder (`apiRoute`) put on its handler. */
function methodsOf(handler: RouteFunction): readonly string[] {
  if (!("methods" in handler) || !Array.isArray(handler.methods)) return ["GET", "HEAD", "OPTIONS"];
  return handler.methods.map(String);
}

function unknownAddress(pathname: string): ContractError {
  if (pathname.startsWith("/.well-known")) return howProgramsSignIn(404);
  return new ContractError(404, "Unknown endpoint. /openapi.json lists all of them.");
}
