import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as secureRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type AllowedHost, hostOf } from "../../base/hosts";
import { AllowedHosts, type Unlisted } from "./allowed-hosts";

/** A refused host, and a callback that allows it from then on. */
export interface RefusedHost {
  host: string;
  /** Why it was refused. */
  sentence: string;
  /** Only a lockfile names it, and it resolves to this machine or its network. */
  isNear: boolean;
  allow(): void;
}

interface NetworkOptions {
  allowedHosts: readonly AllowedHost[];
  /** Hosts to ask for at once, unless already allowed. */
  wanted: readonly AllowedHost[];
  service: URL;
  /** Called once per host. */
  refused(host: RefusedHost): void;
}

export interface JobNetwork {
  socket: string;
  /** Ports of this machine that can be reached on the sandbox's loopback. */
  ports: readonly number[];
  close(): Promise<void>;
}

/** Network of one job: a proxy and its allowed hosts. */
export async function openJobNetwork({ allowedHosts, wanted, service, refused }: NetworkOptions): Promise<JobNetwork> {
  const allowed = new AllowedHosts(allowedHosts, service);
  const reported = new Set<string>();
  const report: Parameters<typeof openProxy>[0]["refused"] = (host, port, { refusal, isNear }) => {
    const name = `${host}:${port}`;
    if (reported.has(name) || reported.size >= mostRefused) return;
    reported.add(name);
    const allow = () => allowed.add({ host: hostOf(host), port, source: "person" });
    refused({ host: name, sentence: refusal, isNear, allow });
  };
  const proxy = await openProxy({ allowed, service, refused: report });
  for (const { host, port } of wanted.slice(0, mostWanted)) {
    const refusal = ".backloom.yml names it.";
    if (!allowed.isPersons(host, port)) report(host, port, { refusal, isListed: false, isNear: false });
  }
  return { ...proxy, ports: allowed.loopbackPorts() };
}

/** Limit, so that a job trying many hosts cannot flood the page. */
const mostRefused = 50;
/** Limit, so that a repository cannot flood the user's inbox. */
const mostWanted = 10;

interface ProxyOptions {
  allowed: AllowedHosts;
  service: URL;
  /** Called for each refused host that is not listed. */
  refused(host: string, port: number, why: Unlisted): void;
}

interface Proxy {
  /** Path of the proxy's socket. */
  socket: string;
  close(): Promise<void>;
}

/** The only way out of a sandbox: it connects to allowed hosts only. */
async function openProxy(options: ProxyOptions): Promise<Proxy> {
  // Own folder with a short path: socket paths are limited to about 100 characters.
  const folder = await mkdtemp(join(tmpdir(), "backloom-"));
  const socket = join(folder, "proxy");
  const sockets = new Set<Duplex>();
  const server = createServer((given, answer) => void passOn(options, given, answer));
  // Tunnels to the service end here as HTTP, because only one path may be requested.
  const door = createServer((given, answer) => void throughDoor(options, given, answer));
  let isClosed = false;
  server.on("connection", (one) => {
    sockets.add(one);
    one.on("close", () => sockets.delete(one));
    one.on("error", () => undefined);
  });
  server.on("connect", (given, inner, head) => {
    void tunnel(options, given, inner, head, (one) => door.emit("connection", one)).then((outer) => {
      if (outer === null) return;
      if (isClosed) outer.destroy();
      sockets.add(outer);
      outer.on("close", () => sockets.delete(outer));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    async close() {
      isClosed = true;
      for (const one of sockets) one.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function tunnel(
  options: ProxyOptions,
  { url = "" }: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  serve: (socket: Duplex) => void,
): Promise<Socket | null> {
  inner.on("error", () => inner.destroy());
  const target = partsOf(url);
  if (target === null) {
    refuse(inner, "400 Bad Request", "CONNECT takes a host and a port.");
    return null;
  }
  const { host, port } = target;
  const begin = (): void => {
    inner.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) inner.unshift(head);
  };
  if (isDoor(options, host, port)) {
    begin();
    serve(inner);
    return null;
  }
  const verdict = await options.allowed.decide(host, port);
  if ("refusal" in verdict) {
    if (!verdict.isListed) options.refused(host, port, verdict);
    refuse(inner, "403 Forbidden", verdict.refusal);
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

async function passOn(options: ProxyOptions, given: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = URL.canParse(given.url ?? "") ? new URL(given.url ?? "") : null;
  if (url === null || url.protocol !== "http:") return say(answer, 400, "This is a proxy.");
  const [host, port, path] = [url.hostname, Number(url.port || 80), url.pathname + url.search];
  if (isDoor(options, host, port)) return throughDoor(options, given, answer, path);
  const verdict = await options.allowed.decide(host, port);
  // The client has disconnected, or the job is over.
  if (answer.destroyed) return;
  if ("refusal" in verdict) {
    if (!verdict.isListed) options.refused(host, port, verdict);
    return say(answer, 403, verdict.refusal);
  }
  pass(given, answer, request, { host: verdict.address, port, path }, `${host}:${port}`);
}

/** Forwards a request to the service; only /mcp is allowed. */
function throughDoor(
  { service }: ProxyOptions,
  given: IncomingMessage,
  answer: ServerResponse,
  path = given.url ?? "/",
): void {
  if (!/^\/mcp(?:\?|$)/.test(path)) {
    say(answer, 403, "Only /mcp of the service can be reached from a job.");
    return;
  }
  const { protocol, hostname: host, port } = service;
  const send = protocol === "https:" ? secureRequest : request;
  pass(given, answer, send, { host, port, path }, service.host);
}

function pass(
  given: IncomingMessage,
  answer: ServerResponse,
  send: typeof request,
  target: { host: string; port: number | string; path: string },
  name: string,
): void {
  const headers = { ...given.headers };
  Reflect.deleteProperty(headers, "proxy-connection");
  Reflect.deleteProperty(headers, "proxy-authorization");
  const outer = send({ ...target, method: given.method, headers }, (incoming) => {
    const status = incoming.statusCode ?? 0;
    // An informational status here would throw outside of any request and end the worker.
    if (status < 200) {
      incoming.destroy();
      return say(answer, 502, `${name} does not speak HTTP.`);
    }
    answer.writeHead(status, incoming.headers);
    incoming.pipe(answer);
  });
  outer.on("error", () => (answer.headersSent ? answer.destroy() : say(answer, 502, `${name} does not answer.`)));
  answer.on("close", () => outer.destroy());
  given.pipe(outer);
}

/** True for the service over plain HTTP, unless the user has allowed all of it. */
function isDoor({ allowed, service }: ProxyOptions, host: string, port: number): boolean {
  const isService = service.protocol === "http:" && allowed.isService({ host: hostOf(host), port });
  return isService && !allowed.isPersons(host, port);
}

/** Returns null unless the target is a host and port. */
function partsOf(target: string): { host: string; port: number } | null {
  const [, host, digits] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(target) ?? [];
  const port = Number(digits);
  return host === undefined || port === 0 || port > 65_535 ? null : { host, port };
}

function refuse(inner: Duplex, status: string, sentence: string): void {
  const body = `${sentence}\n`;
  const lines = [
    `HTTP/1.1 ${status}`,
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
