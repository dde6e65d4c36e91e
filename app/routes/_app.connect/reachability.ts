import { isIP } from "node:net";
import { isPrivateAddress } from "~/outgoing/destination.server";
import { loopbackNames } from "~/own-origins.server";

/** Where an address can be reached from, judged by the address alone. */
export type Reachability = "machine" | "network" | "insecure" | "public";

/** Host names that resolve only inside a network. */
const localName = /^[^.]+$|\.(?:local|lan|internal|home|home\.arpa|localdomain|test)$/;

export function reachabilityOf(origin: string): Reachability {
  const { protocol, hostname } = new URL(origin);
  if (loopbackNames.includes(hostname) || hostname.startsWith("127.")) return "machine";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLocal = isIP(host) ? isPrivateAddress(host) : localName.test(host);
  if (isLocal) return "network";
  return protocol === "https:" ? "public" : "insecure";
}
