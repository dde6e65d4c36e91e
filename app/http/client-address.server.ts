import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

const loopback = ["127.0.0.0/8", "::1"];

/** Returns the client's address. `X-Forwarded-For` counts only if the peer is a trusted proxy. */
type AddressReader = (request: IncomingMessage) => string;

/** Makes the address reader for the given trusted proxies. */
export function createAddressReader(trustProxy: readonly string[]): AddressReader {
  const trusted = trustedProxies(trustProxy);
  return (request) => {
    const peer = normalizeAddress(request.socket.remoteAddress ?? "") ?? "";
    if (trustProxy.length === 0 || !isTrusted(trusted, peer)) return peer;
    return nearestStranger(trusted, peer, request.headers["x-forwarded-for"]);
  };
}

/** Walks `X-Forwarded-For` from the right, past trusted proxies, to the first untrusted address. */
function nearestStranger(trusted: BlockList, peer: string, header: string | readonly string[] | undefined): string {
  let address = peer;
  const hops = String(header ?? "").split(",");
  for (const hop of hops.reverse()) {
    const next = normalizeAddress(hop.trim());
    if (next === undefined) return address;
    address = next;
    if (!isTrusted(trusted, next)) return address;
  }
  return address;
}

function trustedProxies(entries: readonly string[]): BlockList {
  const trusted = new BlockList();
  for (const entry of entries.flatMap((item) => (item === "loopback" ? loopback : [item]))) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return trusted;
}

function isTrusted(trusted: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** Returns the address without port, zone or IPv4-in-IPv6 prefix, or undefined if it is not an address. */
function normalizeAddress(text: string): string | undefined {
  const bare = text.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
  if (isIP(bare) !== 0) return bare.toLowerCase();
  const [, inBrackets] = /^\[([0-9a-fA-F:.]+)\](?::\d+)?$/.exec(bare) ?? [];
  const [, beforePort] = /^([0-9.]+):\d+$/.exec(bare) ?? [];
  const candidate = inBrackets ?? beforePort ?? "";
  return isIP(candidate) === 0 ? undefined : candidate.toLowerCase();
}

/** Rate-limit key of an address. IPv6 is counted by its /64, because one household usually owns the whole /64. */
export function addressLimitKey(address: string): string {
  return isIPv6(address) ? `${networkOf(address)}::/64` : address;
}

function networkOf(address: string): string {
  const [left = "", right = ""] = address.split("::");
  const leading = left === "" ? [] : left.split(":");
  const trailing = right === "" ? [] : right.split(":");
  const isShortened = address.includes("::");
  const zeros = Array.from({ length: 8 - leading.length - trailing.length }, () => "0");
  const groups = isShortened ? [...leading, ...zeros, ...trailing] : leading;
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
