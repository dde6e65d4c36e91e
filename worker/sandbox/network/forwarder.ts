/**
 * Runs in the sandbox: from the proxy's and listed loopback ports to the worker's socket. Plain Node in one string, as
 * the worker's modules cannot be loaded there. It closes its standard output once it listens.
 */
const forwarder = `
const net = require("node:net");
const fs = require("node:fs");
const [socket, proxyPort, ports, entry, entryPort] = process.argv.slice(1);
process.on("uncaughtException", () => {});
const join = (one, other) => {
  one.pipe(other); other.pipe(one);
  one.on("error", () => other.destroy()); other.on("error", () => one.destroy());
  one.on("close", () => other.destroy()); other.on("close", () => one.destroy());
};
const serve = (port, host, target) => new Promise((done) => {
  const server = net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ path: socket, allowHalfOpen: true });
    if (target === null) return join(inner, outer);
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
    outer.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n");
    let head = Buffer.alloc(0);
    const read = (piece) => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf("\\r\\n\\r\\n");
      if (end < 0) return;
      outer.off("data", read);
      if (!/^HTTP\\/1\\.1 200/.test(head.toString("latin1"))) { inner.destroy(); outer.destroy(); return; }
      if (head.length > end + 4) inner.write(head.subarray(end + 4));
      join(inner, outer);
    };
    outer.on("data", read);
  });
  server.on("error", done);
  server.listen(port, host, done);
});
const all = [serve(Number(proxyPort), "127.0.0.1", null)];
for (const port of ports === "" ? [] : ports.split(",")) {
  all.push(serve(Number(port), "127.0.0.1", "127.0.0.1:" + port), serve(Number(port), "::1", "127.0.0.1:" + port));
}
// The way in to what listens here, for the worker outside: development servers listen on one of the two loopbacks.
const reach = (inner, hosts) => {
  const [host, ...others] = hosts;
  const outer = net.connect({ host, port: Number(entryPort), allowHalfOpen: true });
  const missed = () => others.length > 0 ? reach(inner, others) : inner.destroy();
  outer.once("error", missed);
  outer.once("connect", () => { outer.off("error", missed); join(inner, outer); });
};
if (entry) all.push(new Promise((done) => {
  // An earlier program of the sandbox left its own.
  fs.rmSync(entry, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (inner) => reach(inner, ["127.0.0.1", "::1"]));
  server.on("error", done);
  server.listen(entry, done);
}));
// No connection may get the number of a standard stream: Node would not read from it.
Promise.all(all).then(() => { fs.closeSync(1); fs.openSync("/dev/null", "w"); });
`;

/** Starts the forwarder, waits until it listens, then execs the program. */
const begin =
  'node=$1 code=$2 socket=$3 proxy=$4 ports=$5 entry=$6 port=$7; shift 7; : "$(NODE_OPTIONS= "$node" -e "$code" "$socket" "$proxy" "$ports" "$entry" "$port" </dev/null 2>/dev/null &)"; exec "$@"';

interface Forwarding {
  node: string;
  socket: string;
  ports: readonly number[];
  /** A socket, and the port of the inside that it leads to. */
  entry?: { socket: string; port: number } | undefined;
}

/** Command line that starts the forwarder before a program. */
export function forwarded({ node, socket, ports, entry }: Forwarding, program: readonly string[]): string[] {
  const proxy = String(proxyPortBeside(ports));
  const way = [entry?.socket ?? "", String(entry?.port ?? "")];
  return ["/bin/sh", "-c", begin, "sh", node, forwarder, socket, proxy, ports.join(","), ...way, ...program];
}

/** Proxy variables for programs. Loopback bypasses the proxy: it is the sandbox's own, plus the listed ports. */
export function proxyVariables(ports: readonly number[]): Record<string, string> {
  const proxy = `http://127.0.0.1:${proxyPortBeside(ports)}`;
  const none = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    ALL_PROXY: proxy,
    all_proxy: proxy,
    NO_PROXY: none,
    no_proxy: none,
    NODE_USE_ENV_PROXY: "1",
  };
}

/** Whether something of the worker listens on the port inside. */
export function isTakenInside(port: number, ports: readonly number[]): boolean {
  return ports.includes(port) || port === proxyPortBeside(ports);
}

function proxyPortBeside(ports: readonly number[]): number {
  return ports.includes(3128) ? 13_128 : 3128;
}
