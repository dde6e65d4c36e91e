import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as secureRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { AllowedHosts } from "./allowed";
import { hostOf } from "./reach";

interface ProxyWish {
  allowed: AllowedHosts;
  service: URL;
  /** Called with each host that was refused and not listed. */
  refused(host: string, port: number, sentence: string): void;
}

export interface Proxy {
  /** The socket that leads to it. */
  socket: string;
  close(): Promise<void>;
}

/** The only way out of a sandbox: connections to listed hosts, and to nothing else. */
export async function openProxy(wish: ProxyWish): Promise<Proxy> {
  // In a folder of its own, with a short name: the path of a socket may have a hundred letters.
  const folder = await mkdtemp(join(tmpdir(), "backloom-"));
  const socket = join(folder, "proxy");
  const sockets = new Set<Duplex>();
  const server = createServer((given, answer) => void passOn(wish, given, answer));
  // What was tunnelled here and may only read is spoken to as a server.
  const reading = createServer((given, answer) => void readOnly(wish, given, answer));
  server.on("connection", (one) => {
    sockets.add(one);
    one.on("close", () => sockets.delete(one));
    one.on("error", () => undefined);
  });
  server.on("connect", (given, inner, head) => {
    void tunnel(wish, given, inner, head, (one) => reading.emit("connection", one)).then(
      (outer) => {
        if (outer === null) return;
        sockets.add(outer);
        outer.on("close", () => sockets.delete(outer));
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    async close() {
      for (const one of sockets) one.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function tunnel(
  wish: ProxyWish,
  { url = "" }: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  serve: (socket: Duplex) => void,
): Promise<Socket | null> {
  inner.on("error", () => inner.destroy());
  const { host, port } = partsOf(url);
  const begin = (): void => {
    inner.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) inner.unshift(head);
  };
  const target = targets.get(inner) ?? { host, port };
  targets.set(inner, target);
  if (isDoor(wish, host, port)) {
    begin();
    serve(inner);
    return null;
  }
  const verdict = await wish.allowed.decide(host, port);
  if ("refusal" in verdict) {
    if (!verdict.isListed) wish.refused(host, port, verdict.refusal);
    refuse(inner, verdict.refusal);
    return null;
  }
  if (verdict.isReadOnly) {
    begin();
    serve(inner);
    return null;
  }
  const outer = connect({ host: verdict.address, port });
  outer.once("connect", () => {
    begin();
    inner.pipe(outer);
    outer.pipe(inner);
  });
  outer.on("error", () => inner.destroy());
  outer.on("close", () => inner.destroy());
  inner.on("close", () => outer.destroy());
  return outer;
}

/** Where each tunnel that is spoken to as a server was to lead. */
const targets = new WeakMap<object, { host: string; port: number }>();

/** A request through the proxy itself, for an address of plain http. */
async function passOn(
  wish: ProxyWish,
  given: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const url = URL.canParse(given.url ?? "") ? new URL(given.url ?? "") : null;
  if (url === null || url.protocol !== "http:") return say(answer, 400, "This is a proxy.");
  await hand(
    wish,
    given,
    answer,
    { host: url.hostname, port: Number(url.port || 80) },
    url.pathname + url.search,
  );
}

async function readOnly(
  wish: ProxyWish,
  given: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const target = targets.get(given.socket);
  if (target === undefined) return say(answer, 400, "This is a proxy.");
  await hand(wish, given, answer, target, given.url ?? "/");
}

async function hand(
  wish: ProxyWish,
  given: IncomingMessage,
  answer: ServerResponse,
  { host, port }: { host: string; port: number },
  path: string,
): Promise<void> {
  const headers = { ...given.headers };
  Reflect.deleteProperty(headers, "proxy-connection");
  Reflect.deleteProperty(headers, "proxy-authorization");
  const { method = "GET" } = given;
  const pass = (send: typeof request, options: object, isReadOnly = false): void => {
    // A server that does not expect a body with a GET would take it for the next request.
    if (isReadOnly) for (const name of bodyHeaders) Reflect.deleteProperty(headers, name);
    const outer = send({ ...options, method, path, headers }, (incoming) => {
      const status = incoming.statusCode ?? 0;
      // It would be an error here, outside of any request, and end the worker.
      if (status < 200) {
        incoming.destroy();
        return say(answer, 502, `${host}:${port} does not speak HTTP.`);
      }
      answer.writeHead(status, incoming.headers);
      incoming.pipe(answer);
    });
    outer.on("error", () =>
      answer.headersSent ? answer.destroy() : say(answer, 502, `${host}:${port} does not answer.`),
    );
    answer.on("close", () => outer.destroy());
    if (isReadOnly) outer.end();
    else given.pipe(outer);
  };
  if (isDoor(wish, host, port)) {
    if (!/^\/mcp(?:\?|$)/.test(path)) {
      return say(answer, 403, "Only /mcp of the service can be reached from a job.");
    }
    const { protocol, hostname } = wish.service;
    return pass(protocol === "https:" ? secureRequest : request, { host: hostname, port });
  }
  const verdict = await wish.allowed.decide(host, port);
  if ("refusal" in verdict) {
    if (!verdict.isListed) wish.refused(host, port, verdict.refusal);
    return say(answer, 403, verdict.refusal);
  }
  if (verdict.isReadOnly && method !== "GET" && method !== "HEAD") {
    return say(
      answer,
      403,
      `${host}:${port} is named by a lockfile only: it may be read, and not written to.`,
    );
  }
  pass(request, { host: verdict.address, port }, verdict.isReadOnly);
}

const bodyHeaders = ["content-length", "transfer-encoding", "expect", "upgrade"];

/** The service where it speaks plain http, unless the person has opened all of it. */
function isDoor({ allowed, service }: ProxyWish, host: string, port: number): boolean {
  const isService = service.protocol === "http:" && allowed.isService({ host: hostOf(host), port });
  return isService && !allowed.isPersons(host, port);
}

function partsOf(target: string): { host: string; port: number } {
  const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(target) ?? [];
  return { host, port: Number(port) };
}

function refuse(inner: Duplex, sentence: string): void {
  const body = `${sentence}\n`;
  const lines = [
    "HTTP/1.1 403 Forbidden",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  inner.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

function say(answer: ServerResponse, status: number, sentence: string): void {
  answer.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  answer.end(`${sentence}\n`);
}
