import { isIP } from "node:net";
import { isPrivateAddress } from "~/outgoing/destination.server";
import { loopbackNames } from "~/own-origins.server";

/** From where an address can be reached, as far as the address itself says. */
export type Reach = "machine" | "network" | "insecure" | "public";

/** Names that mean something in one network only. */
const localName = /^[^.]+$|\.(?:local|lan|internal|home|home\.arpa|localdomain|test)$/;

export function reachOf(origin: string): Reach {
  const { protocol, hostname } = new URL(origin);
  if (loopbackNames.includes(hostname) || hostname.startsWith("127.")) return "machine";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLocal = isIP(host) ? isPrivateAddress(host) : localName.test(host);
  if (isLocal) return "network";
  return protocol === "https:" ? "public" : "insecure";
}
