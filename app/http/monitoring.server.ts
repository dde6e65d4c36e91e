import type { IncomingMessage } from "node:http";
import type { Env } from "~/env.server";
import { loopbackNames } from "~/own-origins.server";
import { ContractError } from "~/wire/errors";
import { bringsSecret } from "./credential.server";

/** Headers that proxies add. A request with one of them does not come from this machine, even if its peer is local. */
const markedByProxies = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** By METRICS_TOKEN or on this machine. A local proxy may add no header, so APP_ORIGIN must be a loopback name, too. */
export function requireMonitoring(
  request: IncomingMessage,
  { metricsToken, appOrigin }: Pick<Env, "metricsToken" | "appOrigin">,
): void {
  if (metricsToken !== undefined) {
    if (bringsSecret(request.headers.authorization ?? "", metricsToken)) return;
    throw new ContractError(401, "Send METRICS_TOKEN as a bearer token.");
  }
  const isHere = isLoopbackName(hostnameOf(appOrigin)) && isFromThisMachine(request);
  if (isHere) return;
  throw new ContractError(
    403,
    "Set METRICS_TOKEN and send it as a bearer token: without one, only programs of this machine are answered, and only where APP_ORIGIN is this machine.",
  );
}

function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress ?? "";
  const isLoopback = peer === "::1" || /^(::ffff:)?127\./.test(peer);
  const isMarked = markedByProxies.some((name) => headers[name] !== undefined);
  return isLoopback && !isMarked && isLoopbackName(hostnameOf(`http://${headers.host ?? ""}`));
}

function isLoopbackName(name: string): boolean {
  return loopbackNames.includes(name) || /^127(\.\d{1,3}){3}$/.test(name);
}

const hostnameOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).hostname : "");
