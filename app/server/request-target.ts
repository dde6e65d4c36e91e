import type { IncomingMessage } from "node:http";

export interface RequestTarget {
  pathname: string;
  /** The query with its question mark, or empty. */
  search: string;
  /** Answered as JSON, even if the path is misspelled. */
  isApi: boolean;
  /** No route can match this path: it gets 404. */
  isBroken: boolean;
}

const brokenPath = /[^\x21-\x7e]|[\\"<>^`{|}]|\/\/|%(?:00|2f|5c)|\/\.{1,2}(?:\/|$)|\/(?:\.|%2e){1,2}(?:\/|$)/i;
const apiPrefix = /^[\\/]+(?:api|mcp|openapi\.json|\.well-known|oauth|token|revoke|hooks)(?:[\\/?.]|$)/i;

/** Reads a whole address as target (RFC 9112, 3.2.2): its host counts, no matter what the header says. */
export function takeAbsoluteForm(request: IncomingMessage): void {
  const [start, host] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? "") ?? [];
  if (start === undefined) return;
  const path = request.url?.slice(start.length) ?? "";
  request.url = path.startsWith("/") ? path : `/${path}`;
  request.headers.host = host;
}

/** One spelling an address: encoded slashes, backslashes, NUL, dot segments and broken codes mark it as broken. */
export function readTarget(rawUrl: string): RequestTarget {
  const queryAt = rawUrl.indexOf("?");
  const path = queryAt < 0 ? rawUrl : rawUrl.slice(0, queryAt);
  const search = queryAt < 0 ? "" : rawUrl.slice(queryAt);
  const isApi = apiPrefix.test(path.includes("%") ? decodeLoosely(path) : path);
  const isBroken = !path.startsWith("/") || brokenPath.test(path) || !isDecodable(path);
  return { pathname: withoutTrailingSlash(path), search, isApi, isBroken };
}

/**
 * People create accounts at /register, where some OAuth clients expect registration (RFC 7591): these go to
 * /oauth/register. They send JSON, which no HTML form can, and browsers ask before they do.
 */
export function asSentBy(target: RequestTarget, { method, headers }: IncomingMessage): RequestTarget {
  const isProgram =
    method === "OPTIONS"
      ? /\bcontent-type\b/i.test(headers["access-control-request-headers"] ?? "")
      : method === "POST" && /^application\/json\b/i.test(headers["content-type"] ?? "");
  if (target.pathname !== "/register" || !isProgram) return target;
  return { ...target, pathname: "/oauth/register", isApi: true };
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function decodeLoosely(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
