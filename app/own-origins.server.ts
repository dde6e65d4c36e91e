import { networkInterfaces } from "node:os";

/** A machine's names for itself, as they stand in a URL. */
export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** What a person types to reach a listening address on the same machine. */
export function printableHost(host: string): string {
  if (["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host)) return "localhost";
  return bracketed(host);
}

/** The configured origin; one on this machine goes by all names of the machine for itself. */
export function withLoopbackNames(configured: string): string[] {
  const url = new URL(configured);
  if (!loopbackNames.includes(url.hostname)) return [configured];
  return loopbackNames.map((name) => Object.assign(new URL(url), { hostname: name }).origin);
}

/** How this machine can be addressed while no public address is configured. */
export function localOrigins(host: string, port: number): string[] {
  const listensEverywhere = host === "0.0.0.0" || host === "::";
  const reachable = (listensEverywhere ? ownAddresses() : [host]).map(bracketed);
  const names = [...loopbackNames, ...reachable];
  return [...new Set(names.map((name) => new URL(`http://${name}:${port}`).origin))];
}

/** The addresses of this machine, without link-local ones, which carry a zone. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.startsWith("fe80"));
}

/** An address as it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
