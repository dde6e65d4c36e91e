import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Where notices may be sent. Addresses come from users, so a destination inside our own network would let
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
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  privateRanges.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 128],
  ["::1", 128],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
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
  if (family === 0) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return privateRanges.check(mapped, "ipv4");
  // Any other mapped or compatible spelling of an IPv4 address is not worth telling apart.
  if (/^::ffff:/i.test(address)) return true;
  return privateRanges.check(address, family === 4 ? "ipv4" : "ipv6");
}

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
