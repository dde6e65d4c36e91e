/** Loopback names. A program there listens on a port it learns only at start (RFC 8252, 7.3). */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Editor schemes that are exempt from the rule of reverse domain names (RFC 8252, 7.1). */
const editorSchemes = new Set([
  "cursor:",
  "vscode:",
  "vscode-insiders:",
  "vscodium:",
  "windsurf:",
  "zed:",
]);

/** Whether a browser may be sent there with a code: https, loopback, or a scheme that belongs to one program. */
export function isAllowedRedirect(address: string): boolean {
  if (address.length > 2000 || !/^[\x21-\x7e]+$/.test(address) || !URL.canParse(address)) {
    return false;
  }
  const { protocol, hostname, username, password } = new URL(address);
  if (address.includes("#") || username || password) return false;
  if (protocol === "https:") return true;
  if (protocol === "http:") return loopback.has(hostname);
  return editorSchemes.has(protocol) || protocol.includes(".");
}

/** Whether the address is one the program named. Loopback addresses match with any port. */
export function isNamedRedirect(named: readonly string[], address: string): boolean {
  if (!isAllowedRedirect(address)) return false;
  if (named.includes(address)) return true;
  const portless = withoutPort(address);
  return portless !== undefined && named.some((one) => withoutPort(one) === portless);
}

function withoutPort(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname, search } = new URL(address);
  if (protocol !== "http:" || !loopback.has(hostname)) return undefined;
  return `${hostname}${pathname}${search}`;
}
