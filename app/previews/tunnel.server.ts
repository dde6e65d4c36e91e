import { createHash } from "node:crypto";
import { type IncomingMessage, ServerResponse } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { PreviewAccess } from "./access.server";

/** Where workers connect: one WebSocket a preview, so that no preview can hold up another. */
export const tunnelPath = "/api/workers/preview";
const protocol = "backloom-preview.1";

const pingMilliseconds = 30_000;
/** How long a worker that was cut off is waited for. */
const patience = 15_000;
/** More than HTTP/2 sends at once. */
const largestMessage = 4 * 1024 * 1024;
/** What may wait here for a slow reader: of one answer, and of all answers of a preview. */
const windows = { stream: 256 * 1024, session: 2 * 1024 * 1024 };
const headerBytes = 65_536;

type Tunnel = { session: ClientHttp2Session; socket: WebSocket };
type Refusal = readonly [status: number, error: string];

/** The tunnels of this process: WebSockets of workers with HTTP/2 inside, whose client is the service. */
export class Tunnels {
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: largestMessage,
    handleProtocols: () => protocol,
  });
  readonly #open = new Map<string, Tunnel>();
  /** Connections whose worker has not sent its settings: one a preview, the newest. */
  readonly #pending = new Map<string, WebSocket>();
  readonly #lostAt = new Map<string, number>();
  readonly #startedAt = performance.now();

  constructor(private readonly access: PreviewAccess) {}

  /** Opens a stream to the program of a preview; null without a tunnel. */
  request(previewId: string, headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | null {
    const session = this.#open.get(previewId)?.session;
    if (session === undefined || session.closed || session.destroyed) return null;
    return session.request(headers, { endStream });
  }

  /** Why a preview has no tunnel: its worker connects again, has gone, or never came to this process. */
  whyAbsent(previewId: string): "waiting" | "gone" | "elsewhere" {
    const lostAt = this.#lostAt.get(previewId);
    if (performance.now() - (lostAt ?? this.#startedAt) < patience) return "waiting";
    return lostAt === undefined ? "elsewhere" : "gone";
  }

  /** Takes the WebSocket of a worker. Its token alone opens it: no cookie, and no page of a browser. */
  async accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const previewId = previewOf(request);
    const refusal = await this.#refusalOf(previewId, request).catch((): Refusal => [503, "Try again in a moment."]);
    if (refusal !== null) return refuse(request, socket, refusal);
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#use(previewId, opened));
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async #refusalOf(previewId: string, { headers }: IncomingMessage): Promise<Refusal | null> {
    if (headers.origin !== undefined) return [403, "Only workers connect here."];
    const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
    if (!protocols.includes(protocol)) return [400, `Ask for the sub-protocol ${protocol}.`];
    const [, token] = /^Bearer ([\w.~+/=-]{1,512})$/i.exec(headers.authorization ?? "") ?? [];
    if (token === undefined) return [401, "Send the API token of the worker: Authorization: Bearer <token>."];
    const hash = createHash("sha256").update(token).digest("hex");
    const isRun = previewId !== "" && (await this.access.isRunBy(previewId, hash));
    return isRun ? null : [404, "No preview of this worker has this ID."];
  }

  #use(previewId: string, socket: WebSocket): void {
    this.#pending.get(previewId)?.terminate();
    this.#pending.set(previewId, socket);
    const duplex = createWebSocketStream(socket);
    const session = connect("http://worker", {
      createConnection: () => duplex,
      maxSendHeaderBlockLength: headerBytes,
      settings: { enablePush: false, initialWindowSize: windows.stream, maxHeaderListSize: headerBytes },
    });
    const tunnel = { session, socket };
    // The session first: what it writes after the end of its connection ends the process (an assertion in Node).
    const end = () => {
      clearInterval(pinging);
      // With an error: answers that have begun are then cut, not ended.
      session.destroy(new Error("The tunnel was cut"));
      socket.terminate();
      if (this.#pending.get(previewId) === socket) this.#pending.delete(previewId);
      if (this.#open.get(previewId) !== tunnel) return;
      this.#open.delete(previewId);
      this.#lostAt.set(previewId, performance.now());
    };
    const pinging = keepAlive(socket, end);
    duplex.on("error", end);
    session.on("error", end).on("close", end);
    socket.on("close", end);
    session.on("connect", () => session.setLocalWindowSize(windows.session));
    // Before its settings are here, it is not known whether it takes WebSockets.
    session.once("remoteSettings", () => {
      const before = this.#open.get(previewId);
      this.#open.set(previewId, tunnel);
      this.#pending.delete(previewId);
      this.#lostAt.delete(previewId);
      before?.socket.terminate();
    });
  }
}

/** Ends a connection that has not answered a ping by the time of the next. */
function keepAlive(socket: WebSocket, end: () => void): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  return setInterval(() => {
    if (!isAlive) return end();
    isAlive = false;
    socket.ping();
  }, pingMilliseconds);
}

function previewOf({ url = "" }: IncomingMessage): string {
  return new URLSearchParams(url.slice(url.indexOf("?"))).get("preview") ?? "";
}

function refuse(request: IncomingMessage, socket: Socket, [status, error]: Refusal): void {
  const response = responseOn(request, socket);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify({ error, code: status }));
}

/** The usual response, to a request for another protocol. Its connection ends with it. */
export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.end());
  return response;
}
