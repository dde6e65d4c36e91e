import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Services } from "~/context/services.server";
import type { Env } from "~/env.server";
import { createAddressReader } from "~/http/client-address.server";
import { bracketed, loopbackNames, ownAddresses } from "~/own-origins.server";
import { isPreviewHost, previewHostsOf } from "~/preview-hosts.server";
import { ContractError } from "~/wire/errors";
import { answerApi } from "./answer-api";
import { type BuildSource, createPageApp } from "./page-app";
import { sendJsonProblem, sendPlainProblem } from "./problems";
import { NodeRequestContext } from "./request-context";
import { asSentBy, type RequestTarget, readTarget, takeAbsoluteForm } from "./request-target";
import { routesOf } from "./route-table";
import { apiHeaders, pageHeaders } from "./security-headers";

/** API addresses where writes from foreign origins are refused even without a cookie. */
const guardedApi = /^\/api\/auth(?:\/|$)/;

/** Checks host and origin of writes and sets headers, then calls a resource route of /api or /mcp, or the pages. */
export function createFront(services: Services, source: BuildSource, projectFolder: string): RequestListener {
  const { env } = services;
  const readAddress = createAddressReader(env.trustProxy);
  const originRule = createOriginRule(env);
  const answerPage = createPageApp(env, source, projectFolder);
  const headersOfApi = Object.entries(apiHeaders(env));
  const noteWhenDone = createRequestNotes(services);

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    takeAbsoluteForm(request);
    const target = asSentBy(readTarget(request.url ?? ""), request);
    const context = new NodeRequestContext(services, readAddress(request), request, response);
    noteWhenDone(context, target, request, response);
    response.setHeader("x-request-id", context.requestId);
    if (services.stopSignal.aborted) response.setHeader("connection", "close");
    const headers = target.isApi ? headersOfApi : Object.entries(pageHeaders(env, context.cspNonce, target.pathname));
    for (const [name, value] of [...headers, ...corsHeaders(target, request)]) response.setHeader(name, value);

    try {
      refuseForeign(env.appOrigin, originRule, target, request);
      const call = { target, request, response, context };
      if (!target.isApi) return answerPage(call);
      await answerApi(routesOf(await source.load()), env.appOrigin, call);
    } catch (error) {
      fail(error, target, response, context);
    }
  };

  return (request, response) => void answer(request, response);
}

function refuseForeign(appOrigin: string, rule: OriginRule, target: RequestTarget, request: IncomingMessage): void {
  const { host, origin } = request.headers;
  if (rule.isOfPreview(origin)) throw new ContractError(403, "A page of a preview may ask nothing here.");
  const isOneHost = (request.headersDistinct.host?.length ?? 0) <= 1;
  if (!(isOneHost && rule.isKnownHost(host)) && !dressOfRefusal.has(target.pathname)) {
    const example = isOneHost && hostnameOf(host) !== "" ? `, such as APP_ORIGIN=http://${host}` : "";
    const cure = `Set APP_ORIGIN to the address that people open${example}, and start again.`;
    throw new ContractError(400, `This host name is not served here. ${cure}`);
  }
  // Login and pairing are guarded even without a cookie, because they work without one and could be forged.
  const needsCookie = target.isApi && !guardedApi.test(target.pathname);
  if (rule.refusesWrite(request, { needsCookie })) {
    throw new ContractError(403, `This service is at ${appOrigin}: open it there.`);
  }
}

function fail(error: unknown, target: RequestTarget, response: ServerResponse, context: NodeRequestContext): void {
  const refusal = error instanceof ContractError ? error : unexpected(error, context);
  const isOfScript = new URLSearchParams(target.search).has("_data");
  // Remix shows a refusal as such only with this header.
  if (isOfScript && !response.headersSent) response.setHeader("x-remix-catch", "yes");
  if (target.isApi || isOfScript) sendJsonProblem(response, refusal);
  else sendPlainProblem(response, refusal);
}

function unexpected(error: unknown, context: NodeRequestContext): ContractError {
  context.log.error({ err: error }, "a request failed");
  return new ContractError(500, `Something went wrong here. Try again; request id: ${context.requestId}`);
}

/** Never query, headers or body, which may hold secrets; so no redaction, which would cost more than the line. */
function createRequestNotes({
  log,
  metrics,
}: Pick<Services, "log" | "metrics">): (
  context: NodeRequestContext,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
) => void {
  const plainLog = log.child({}, { redact: { paths: [] } });
  return (context, target, request, response) => {
    const startedAt = performance.now();
    response.once("close", () => {
      const milliseconds = performance.now() - startedAt;
      metrics.requests.record({
        method: request.method,
        route: context.route,
        status: response.statusCode,
        seconds: milliseconds / 1_000,
        isStream: context.isStreaming,
      });
      plainLog.info(
        {
          requestId: context.requestId,
          method: request.method,
          // Invitation codes and keys of incoming webhooks are secret.
          path: target.pathname.replace(/^(\/(?:join|hooks\/in)\/).*/, "$1…").slice(0, 200),
          status: response.statusCode,
          milliseconds: Math.round(milliseconds * 10) / 10,
          address: context.clientAddress,
          ...(response.writableFinished ? {} : { cut: true }),
        },
        "request",
      );
    });
  };
}

/** Files without a secret that the page of a refusal needs. */
const dressOfRefusal = new Set(["/offline.css", "/favicon.svg"]);

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Decides which `Host` and `Origin` values are ours, from configuration and own addresses, never from a request. */
interface OriginRule {
  isKnownHost(host: string | undefined): boolean;
  isKnownOrigin(origin: string): boolean;
  /** True if a page of a preview, which an agent wrote, asks. */
  isOfPreview(origin: string | undefined): boolean;
  /** True if a page of another site may have caused the write. */
  refusesWrite(request: IncomingMessage, options: { needsCookie: boolean }): boolean;
}

function createOriginRule(env: Env): OriginRule {
  const hostnames = new Set([
    ...loopbackNames,
    ...ownAddresses().map(bracketed),
    bracketed(env.host).toLowerCase(),
    new URL(env.appOrigin).hostname,
  ]);
  const origins = new Set(env.origins);
  const previews = env.previewOrigin === null ? null : previewHostsOf(env.previewOrigin);
  const isKnownOrigin = (origin: string) => origins.has(origin);
  return {
    isKnownHost: (host) => hostnames.has(hostnameOf(host)),
    isKnownOrigin,
    isOfPreview: (origin) => previews !== null && isPreviewHost(previews, origin),
    refusesWrite(request, { needsCookie }) {
      if (safeMethods.has(request.method ?? "")) return false;
      if (needsCookie && request.headers.cookie === undefined) return false;
      const { origin } = request.headers;
      if (origin !== undefined) return !isKnownOrigin(origin);
      const site = request.headers["sec-fetch-site"];
      return site !== undefined && site !== "same-origin";
    },
  };
}

/** Returns the host name in lower case, or an empty string if the header is missing or malformed. */
function hostnameOf(host: string | undefined): string {
  const [, name, port] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host ?? "") ?? [];
  if (name === undefined || Number(port ?? 0) > 65_535) return "";
  return name.toLowerCase();
}

/** Addresses that no cookie opens, only a token or a code, so pages of other sites may ask as any program. */
const openToAllSites =
  /^\/(?:mcp|mcp\/all|mcp\/worker|token|revoke|oauth\/register|\.well-known\/oauth-[^/]+(?:\/.*)?)$/;

/** CORS headers for MCP clients in a browser; never with credentials. None for all other addresses. A page that
 * rebinds its own name to this machine still lacks the token, and its host name is refused. */
function corsHeaders(
  { pathname, isBroken }: RequestTarget,
  { method }: IncomingMessage,
): readonly (readonly [string, string])[] {
  if (isBroken || !openToAllSites.test(pathname)) return [];
  const everyAnswer = [
    ["access-control-allow-origin", "*"],
    ["access-control-expose-headers", "www-authenticate, retry-after, mcp-session-id"],
  ] as const;
  if (method !== "OPTIONS") return everyAnswer;
  const allowedHeaders = "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id";
  return [
    ...everyAnswer,
    ["access-control-allow-methods", "GET, POST, DELETE"],
    ["access-control-allow-headers", allowedHeaders],
    ["access-control-max-age", "86400"],
  ];
}
