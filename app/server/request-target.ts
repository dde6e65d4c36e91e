import type { IncomingMessage } from "node:http";

/** Path and query of a request, or why the path is none of ours. */
export interface RequestTarget {
  /** The path without a trailing slash. */
  pathname: string;
  /** The query with its question mark, or nothing. */
  search: string;
  /** Answered as JSON, however the path is misspelt. */
  isApi: boolean;
  /** No route can have this path: it is answered with 404 and reaches nothing. */
  isBroken: boolean;
}

const brokenPath =
  /[^\x21-\x7e]|[\\"<>^`{|}]|\/\/|%(?:00|2f|5c)|\/\.{1,2}(?:\/|$)|\/(?:\.|%2e){1,2}(?:\/|$)/i;
const apiPrefix =
  /^[\\/]+(?:api|mcp|openapi\.json|\.well-known|oauth|token|revoke|hooks)(?:[\\/?.]|$)/i;

/**
 * Splits a request target. There is one spelling of each address: encoded slashes, backslashes,
 * NUL, dot segments and broken percent codes are refused here, before anything decodes them.
 */
export function readTarget(rawUrl: string): RequestTarget {
  const queryAt = rawUrl.indexOf("?");
  const path = queryAt < 0 ? rawUrl : rawUrl.slice(0, queryAt);
  const search = queryAt < 0 ? "" : rawUrl.slice(queryAt);
  const isApi = apiPrefix.test(path.includes("%") ? decodeLoosely(path) : path);
  const isBroken = !path.startsWith("/") || brokenPath.test(path) || !isDecodable(path);
  return { pathname: withoutTrailingSlash(path), search, isApi, isBroken };
}

/**
 * Programs register at /register, where some look for it without asking (RFC 7591); people make an account there. Programs send JSON,
 * which no form can, and have an address of their own behind that one.
 */
export function asSentBy(
  target: RequestTarget,
  { method, headers }: IncomingMessage,
): RequestTarget {
  const isProgram =
    method === "POST" && /^application\/json\b/i.test(headers["content-type"] ?? "");
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
  return path.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
