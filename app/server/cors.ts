import type { IncomingMessage } from "node:http";
import type { RequestTarget } from "./request-target";

/** Addresses that no cookie opens, only a token or a code, so pages of other sites may ask as any program. */
const openToAllSites =
  /^\/(?:mcp|mcp\/all|mcp\/worker|token|revoke|oauth\/register|\.well-known\/oauth-[^/]+(?:\/.*)?)$/;

/** CORS headers for MCP clients in a browser; never with credentials. None for all other addresses. A page that
 * rebinds its own name to this machine still lacks the token, and its host name is refused. */
export function corsHeaders(
  { pathname, isBroken }: RequestTarget,
  { method }: IncomingMessage,
): readonly (readonly [string, string])[] {
  if (isBroken || !openToAllSites.test(pathname)) return [];
  const everyAnswer = [
    ["access-control-allow-origin", "*"],
    ["access-control-expose-headers", "www-authenticate, retry-after, mcp-session-id"],
  ] as const;
  if (method !== "OPTIONS") return everyAnswer;
  const asked = "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id";
  return [
    ...everyAnswer,
    ["access-control-allow-methods", "GET, POST, DELETE"],
    ["access-control-allow-headers", asked],
    ["access-control-max-age", "86400"],
  ];
}
