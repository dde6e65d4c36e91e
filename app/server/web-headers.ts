import type { IncomingMessage } from "node:http";

/**
 * Converts a request's headers to web `Headers`. Node keeps only the first of repeated Authorization headers; here
 * they are joined, which makes them malformed and refused.
 */
export function webHeaders(request: IncomingMessage): Headers {
  const { headers, rawHeaders } = request;
  const result = new Headers();
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) result.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  if (isRepeated(rawHeaders, "authorization")) {
    result.set("authorization", request.headersDistinct.authorization?.join(", ") ?? "");
  }
  return result;
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at];
    if (each?.length === name.length && each.toLowerCase() === name) found += 1;
  }
  return found > 1;
}
