import type { IncomingMessage } from "node:http";
import type { Env } from "~/env.server";
import { bracketed, loopbackNames, ownAddresses } from "~/own-origins.server";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Which `Host` and `Origin` values are ours. Both come from configuration, never from a request. */
export interface OriginRule {
  isKnownHost(host: string | undefined): boolean;
  isKnownOrigin(origin: string): boolean;
  /** True when a write may have been caused by a page of another site. */
  refusesWrite(request: IncomingMessage, options: { needsCookie: boolean }): boolean;
}

export function createOriginRule(env: Env): OriginRule {
  const hostnames = new Set([
    ...loopbackNames,
    ...ownAddresses().map(bracketed),
    bracketed(env.host).toLowerCase(),
    new URL(env.appOrigin).hostname,
  ]);
  const origins = new Set(env.origins);
  const isKnownOrigin = (origin: string) => origins.has(origin);
  return {
    isKnownHost: (host) => hostnames.has(hostnameOf(host)),
    isKnownOrigin,
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

/** The name in a `Host` header in lower case; empty when the header is missing or malformed. */
function hostnameOf(host: string | undefined): string {
  const [, name, port] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host ?? "") ?? [];
  if (name === undefined || Number(port ?? 0) > 65_535) return "";
  return name.toLowerCase();
}
