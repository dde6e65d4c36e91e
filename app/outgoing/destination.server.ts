import type { LookupAddress } from "node:dns";
import dns from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Protection against SSRF by addresses of users. The check is part of the connection's own DNS lookup, so DNS
 * rebinding (one answer for the check, another for the connection) does not work.
 */

const privateRanges = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  privateRanges.addSubnet(network, prefix, "ipv4");
}

/** Public IPv6 addresses begin with the bits 001; all else (loopback, link-local, IPv4-mapped …) counts as private. */
const publicRange = new BlockList();
publicRange.addSubnet("2000::", 3, "ipv6");
for (const [network, prefix] of [
  // Teredo and other special protocols, which may embed an IPv4 address.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 embeds an IPv4 address too.
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  privateRanges.addSubnet(network, prefix, "ipv6");
}

/** A destination that must not be contacted. Retrying does not help. */
export class ForbiddenDestination extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ForbiddenDestination";
  }
}

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return privateRanges.check(address, "ipv4");
  if (family === 0 || !publicRange.check(address, "ipv6")) return true;
  return privateRanges.check(address, "ipv6");
}

/** With other characters, another URL parser might see another host in the address. */
const hostName = /^[a-z0-9._-]{1,253}$/;

/** Throws `ForbiddenDestination` unless the address is https and public, or http or private with `allowPrivate`. */
export function requireDestination(address: string, allowPrivate: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))) {
    throw new ForbiddenDestination("The address must begin with https://.");
  }
  if (url.username || url.password) {
    throw new ForbiddenDestination("The address must not contain a username or password.");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0 && !hostName.test(host)) {
    throw new ForbiddenDestination("The address names no host that can be looked up.");
  }
  if (!allowPrivate && (isIP(host) !== 0 ? isPrivateAddress(host) : /(?:^|\.)localhost\.?$/.test(host))) {
    throw new ForbiddenDestination("The address lies in a private network.");
  }
  return url;
}

/** DNS lookup for a connection that refuses names in private networks. */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    const find = async () => {
      const addresses = allowPrivate ? await dns.lookup(hostname, { all: true }) : await publicAddresses(hostname);
      const [first] = addresses;
      if (!first || (!allowPrivate && addresses.some(({ address }) => isPrivateAddress(address)))) {
        throw new ForbiddenDestination(`${hostname} leads into a private network.`);
      }
      return { addresses, first };
    };
    find().then(
      ({ addresses, first }) => (options.all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), "", 0),
    );
  };
}

/** Not by the system's lookup: it has two threads, and a few names whose servers are silent keep all of the process waiting. */
async function publicAddresses(hostname: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  if (four.status === "rejected" && six.status === "rejected") throw four.reason;
  const found = (asked: PromiseSettledResult<string[]>, family: number) =>
    asked.status === "fulfilled" ? asked.value.map((address) => ({ address, family })) : [];
  return [...found(four, 4), ...found(six, 6)];
}
