import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Where requests may be sent. Addresses come from users, so a destination inside our own network would let
 * them speak to services that only we can reach. The check sits in the connection's own name look-up:
 * a name that answers one address to the check and another to the connection gains nothing.
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

/**
 * All public IPv6 addresses begin with the bits 001. Everything else (loopback, link and site local, mapped,
 * translated and compatible spellings of IPv4) is private without being named.
 */
const publicRange = new BlockList();
publicRange.addSubnet("2000::", 3, "ipv6");
for (const [network, prefix] of [
  // Teredo and other protocols of their own: an IPv4 address may be inside.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 holds an IPv4 address too.
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  privateRanges.addSubnet(network, prefix, "ipv6");
}

/** A destination that must not be contacted; trying again would not help. */
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

/** Other characters in a name mean that the next parser of the address may see another host in it. */
const hostName = /^[a-z0-9._-]{1,253}$/;

/** Throws `ForbiddenDestination` for anything but https to a public address (a private one where allowed). */
export function requireDestination(address: string, allowPrivate: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))) {
    throw new ForbiddenDestination("The address must begin with https://.");
  }
  if (url.username || url.password) {
    throw new ForbiddenDestination("The address must not contain a user name or password.");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0 && !hostName.test(host)) {
    throw new ForbiddenDestination("The address names no host that can be looked up.");
  }
  if (!allowPrivate && isIP(host) !== 0 && isPrivateAddress(host)) {
    throw new ForbiddenDestination("The address lies in a private network.");
  }
  return url;
}

/** The name look-up for a connection: refuses names that lead into a private network. */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const refused = allowPrivate ? undefined : addresses.find((a) => isPrivateAddress(a.address));
      const first = addresses[0];
      if (refused || !first) {
        return callback(
          new ForbiddenDestination(`${hostname} leads into a private network.`),
          "",
          0,
        );
      }
      answer(options.all === true, addresses, first, callback);
    });
  };
}

function answer(
  all: boolean,
  addresses: LookupAddress[],
  first: LookupAddress,
  callback: Parameters<LookupFunction>[2],
): void {
  if (all) callback(null, addresses);
  else callback(null, first.address, first.family);
}
