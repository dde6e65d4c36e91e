import { networkInterfaces } from "node:os";

export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the name a person types to reach a listening address from the same machine. */
export function printableHost(host: string): string {
  if (["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host)) return "localhost";
  return bracketed(host);
}

/** Returns the configured origin. A loopback origin is returned under all loopback names. */
export function withLoopbackNames(configured: string): string[] {
  const url = new URL(configured);
  if (!loopbackNames.includes(url.hostname)) return [configured];
  return loopbackNames.map((name) => Object.assign(new URL(url), { hostname: name }).origin);
}

/** Origins of this machine, if no public address is configured. */
export function localOrigins(host: string, port: number): string[] {
  const listensEverywhere = host === "0.0.0.0" || host === "::";
  const reachable = (listensEverywhere ? ownAddresses() : [host]).map(bracketed);
  const names = [...loopbackNames, ...reachable];
  return [...new Set(names.map((name) => new URL(`http://${name}:${port}`).origin))];
}

/** Returns the addresses of this machine, except link-local ones, which need a zone. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.startsWith("fe80"));
}

/** Writes an address as in a URL: IPv6 in brackets. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);
