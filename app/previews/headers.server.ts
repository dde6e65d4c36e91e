import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { IncomingHttpHeaders } from "node:http2";
import { ownCookie } from "./cookie.server";

/** Headers of one connection, which no proxy passes on. */
const ofConnection = new Set(
  "connection expect host http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
/** What only we say to a program. */
const ofProxies = /^(?:x-forwarded-|x-backloom-|forwarded$|x-real-ip$|sec-websocket-key$)/;
const ownToken = /^bearer +bl[a-z]_/i;

/** Named in `Via`, so that a program that asks its own preview is noticed. */
const hop = "1.1 backloom-preview";

export const hopsOf = ({ headers }: IncomingMessage): number => String(headers.via ?? "").split(hop).length - 1;

/** The headers of a viewer's request, without what is ours and with where it came from. */
export function headersToProgram(
  { headers }: IncomingMessage,
  from: { origin: URL; address: string },
): OutgoingHttpHeaders {
  const named = String(headers.connection ?? "").toLowerCase();
  const dropped = new Set([...ofConnection, ...named.split(",").map((name) => name.trim())]);
  const kept: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!dropped.has(name) && !ofProxies.test(name)) kept[name] = value;
  }
  if (ownToken.test(headers.authorization ?? "")) delete kept.authorization;
  const cookies = (headers.cookie ?? "").split(/; */).filter((pair) => pair !== "" && !ownCookie.test(pair));
  delete kept.cookie;
  if (cookies.length > 0) kept.cookie = cookies.join("; ");
  return {
    ...kept,
    via: headers.via === undefined ? hop : `${headers.via}, ${hop}`,
    "x-forwarded-for": from.address,
    "x-forwarded-host": from.origin.host,
    "x-forwarded-proto": from.origin.protocol.replace(":", ""),
  };
}

/** What concerns the whole domain (HSTS, Clear-Site-Data), other servers, the proxy in front, or is in our name. */
const refused =
  /^(?::|strict-transport-security$|clear-site-data$|alt-svc$|x-accel-|x-sendfile|x-lighttpd-|x-litespeed-|x-reproxy-|x-backloom-)/;

/** The headers of a program's answer, as its viewer gets them. */
export function headersToViewer(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = { "cross-origin-opener-policy": "same-origin", "referrer-policy": "same-origin" };
  for (const [name, value] of Object.entries(headers)) {
    if (!ofConnection.has(name) && !refused.test(name)) kept[name] = value;
  }
  const cookies = (headers["set-cookie"] ?? []).filter((cookie) => !ownCookie.test(cookie)).map(withoutDomain);
  delete kept["set-cookie"];
  if (cookies.length > 0) kept["set-cookie"] = cookies;
  // Neither search engines nor proxies in front keep it, and those pass each part on at once.
  return { ...kept, "x-robots-tag": "noindex", "cdn-cache-control": "no-store", "x-accel-buffering": "no" };
}

/** A cookie of a preview is for its own host only. */
function withoutDomain(cookie: string): string {
  const parts = cookie.split(";");
  return parts.filter((part, at) => at === 0 || !/^\s*domain\b/i.test(part)).join(";");
}
