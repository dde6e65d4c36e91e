import { BlockList, isIP } from "node:net";

/** Who named a host: the worker's user, the product's owner, or a lockfile of the repository. */
export type Source = "person" | "product" | "lockfile";

/** A host and port that may be reached from inside. */
export type AllowedHost = { host: string; port: number; source: Source };

const defaultPorts = [443, 80];

/** Parses `host` or `host:port`, including `[::1]:port`, or returns null. */
export function readAllowedHosts(text: string, source: Source): AllowedHost[] | null {
  const [, name, port] = /^(\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  if (name === undefined || Number(port) > 65_535) return null;
  const host = hostOf(name);
  const ports = port === undefined ? defaultPorts : [Number(port)];
  return ports.map((one) => ({ host, port: one, source }));
}

/** Host and port of an http or https URL. */
export function hostsOfUrl(address: string, source: Source): AllowedHost[] {
  if (!URL.canParse(address)) return [];
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return [];
  const standard = protocol === "https:" ? 443 : 80;
  return [{ host: hostOf(hostname), port: port === "" ? standard : Number(port), source }];
}

/** Normalizes a host name for comparison: no brackets, lower case, no trailing dot. */
export function hostOf(name: string): string {
  const plain = name
    .replace(/^\[|\]$/g, "")
    .toLowerCase()
    .replace(/\.$/, "");
  return plain === "localhost" ? "127.0.0.1" : plain;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("0.0.0.0");
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16);
linkLocal.addSubnet("fe80::", 10, "ipv6");
const nearby = new BlockList();
for (const [net, prefix] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
] as const) {
  nearby.addSubnet(net, prefix);
}
nearby.addSubnet("fc00::", 7, "ipv6");

/** Classifies an address: this machine, its link, its network, or elsewhere. */
export function networkOf(address: string): "machine" | "link" | "network" | "elsewhere" {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (loopback.check(plain, family)) return "machine";
  if (linkLocal.check(plain, family)) return "link";
  return nearby.check(plain, family) ? "network" : "elsewhere";
}
