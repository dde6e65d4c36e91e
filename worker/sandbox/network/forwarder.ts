/**
 * Runs in the sandbox, which has no network. Forwards connections to the proxy's port and to listed loopback ports
 * through the worker's socket. Plain Node in one string, because the worker's modules cannot be loaded there. It closes
 * its standard output once it listens.
 */
const forwarder = `
const net = require("node:net");
const fs = require("node:fs");
const [socket, proxyPort, ports] = process.argv.slice(1);
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
// No connection may get the number of a standard stream: Node would not read from it.
Promise.all(all).then(() => { fs.closeSync(1); fs.openSync("/dev/null", "w"); });
`;

/** Starts the forwarder, waits until it listens, then execs the program. */
const begin =
  'node=$1 code=$2 socket=$3 proxy=$4 ports=$5; shift 5; : "$(NODE_OPTIONS= "$node" -e "$code" "$socket" "$proxy" "$ports" </dev/null 2>/dev/null &)"; exec "$@"';

interface Forwarding {
  node: string;
  socket: string;
  ports: readonly number[];
}

/** Command line that starts the forwarder before a program. */
export function forwarded({ node, socket, ports }: Forwarding, program: readonly string[]): string[] {
  const proxy = String(proxyPortBeside(ports));
  return ["/bin/sh", "-c", begin, "sh", node, forwarder, socket, proxy, ports.join(","), ...program];
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

function proxyPortBeside(ports: readonly number[]): number {
  return ports.includes(3128) ? 13_128 : 3128;
}
