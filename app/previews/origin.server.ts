import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { Services } from "~/context/services.server";
import { createAddressReader } from "~/http/client-address.server";
import { isPreviewHost, type PreviewHosts, previewIdOf } from "~/preview-hosts.server";
import type { PreviewAccess, Viewer } from "./access.server";
import { readViewer, viewerCookie } from "./cookie.server";
import { headersToProgram, headersToViewer, hopsOf } from "./headers.server";
import { enterPath } from "./previews.server";
import { type Problem, say } from "./problems.server";
import { responseOn, type Tunnels } from "./tunnel.server";

const largestBody = 25 * 1024 * 1024;
const firstByteMilliseconds = 30_000;
const mostHops = 5;
/** Half of what a preview takes: no one person holds up the others. */
const mostAtOnce = 50;
/** Together less than the ten seconds after which a removed member must be out. */
const knownMilliseconds = 4_000;
const sweepMilliseconds = 4_000;

type State = Awaited<ReturnType<PreviewAccess["stateFor"]>>;

type Parts = { hosts: PreviewHosts; services: Pick<Services, "env" | "log">; access: PreviewAccess; tunnels: Tunnels };

/** Pages of previews are code that an agent wrote: an enemy of the service, of other previews and of their viewer. */
export class PreviewOrigins {
  readonly #parts: Parts;
  readonly #readAddress: (request: IncomingMessage) => string;
  readonly #known = new Map<string, { at: number; state: Promise<State> }>();
  /** What is open, and who looks at it. */
  readonly #visits = new Map<ServerResponse | Socket, Viewer>();
  /** What is open for one person at one preview, and who waits for a place. */
  readonly #lines = new Map<string, { open: number; waiting: (() => void)[] }>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#readAddress = createAddressReader(parts.services.env.trustProxy);
    this.#sweeping = setInterval(() => void this.#sweep(), sweepMilliseconds).unref();
  }

  /** Whether a request is for a preview. One that names two hosts is for none. */
  owns({ headers, headersDistinct }: IncomingMessage): boolean {
    return headersDistinct.host?.length === 1 && isPreviewHost(this.#parts.hosts, headers.host);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const target of this.#visits.keys()) target.destroy();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#note(request, response, () => response.statusCode);
    const viewer = await this.#letIn(request, response);
    if (viewer === null) return;
    const length = Number(request.headers["content-length"] ?? 0);
    if (length > largestBody) return say(response, "tooLarge");
    if (!(await this.#takeTurn(viewer, response))) return;
    const hasBody = length > 0 || request.headers["transfer-encoding"] !== undefined;
    const stream = this.#ask(request, response, viewer, { ":method": request.method }, !hasBody);
    if (stream === null) return;
    response.once("close", () => stream.close(constants.NGHTTP2_CANCEL));
    stream.once("response", (headers) => answerWith(stream, headers, response));
    if (hasBody) sendBody(request, stream, () => say(response, "tooLarge"));
  }

  /** Carries a WebSocket of a page. A request for another protocol gets the usual response. */
  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const response = responseOn(request, socket);
    const { upgrade = "", "sec-websocket-key": key = "" } = request.headers;
    const isWebSocket = /^websocket$/i.test(upgrade) && /^[\w+/]{22}==$/.test(key) && request.method === "GET";
    if (!isWebSocket) return this.answer(request, response);
    this.#note(request, socket, () => (response.headersSent ? response.statusCode : 101));
    const viewer = await this.#letIn(request, response);
    if (viewer === null || !(await this.#takeTurn(viewer, socket))) return;
    const asked = { ":method": "CONNECT", ":protocol": "websocket", ":scheme": "http" };
    const stream = this.#ask(request, response, viewer, asked, false);
    if (stream === null) return;
    socket.once("close", () => stream.close(constants.NGHTTP2_CANCEL));
    stream.once("response", (headers) => {
      if (headers[":status"] !== 200) return answerWith(stream, headers, response);
      response.detachSocket(socket);
      socket.setNoDelay(true).write(acceptance(key, headersToViewer(headers)));
      if (head.length > 0) socket.unshift(head);
      stream.once("close", () => socket.destroy());
      stream.pipe(socket).pipe(stream);
    });
  }

  /** Who asks, if they may. All others get the same answer, no matter what is here. */
  async #letIn(request: IncomingMessage, response: ServerResponse): Promise<Viewer | null> {
    const { hosts, services } = this.#parts;
    const { headers, url: path = "" } = request;
    const previewId = previewIdOf(hosts, headers.host);
    if (/^\/\.backloom(?:[/?]|$)/.test(path)) return this.#redeem(previewId, request, response);
    const viewer = readViewer(hosts, previewId, headers.cookie, services.env.sessionSecrets);
    const problem = viewer === null ? "unknown" : await this.#problemOf(viewer, request);
    if (problem === null) return viewer;
    say(response, problem);
    return null;
  }

  async #problemOf(viewer: Viewer, request: IncomingMessage): Promise<Problem | null> {
    const state = await this.#stateFor(viewer).catch(() => null);
    if (state === null) return "unavailable";
    if (state !== "open") return state === "ended" ? "ended" : "unknown";
    if (isForeign(request, this.#parts.hosts.originOf(viewer.previewId))) return "foreign";
    // It would read the ticket of the next visit, and no browser lets a page leave this header out.
    if (request.headers["service-worker"] !== undefined) return "serviceWorker";
    if (request.url?.startsWith("/") !== true) return "malformed";
    return hopsOf(request) > mostHops ? "loop" : null;
  }

  async #redeem(previewId: string, request: IncomingMessage, response: ServerResponse): Promise<null> {
    const { hosts, services, access } = this.#parts;
    const { pathname, searchParams } = new URL(request.url ?? "", hosts.originOf(previewId || "x"));
    const ticket = searchParams.get("ticket") ?? "";
    const isAsked = pathname === enterPath && request.method === "GET" && /^[\w-]{20,200}$/.test(ticket);
    try {
      const viewer = isAsked && previewId !== "" ? await access.enter(previewId, ticket) : null;
      if (viewer === null) say(response, "unknown");
      else {
        const cookie = viewerCookie(hosts, viewer, services.env.sessionSecrets);
        const rest = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
        response.writeHead(303, { location: "/", "set-cookie": cookie, ...rest }).end();
      }
    } catch (error) {
      services.log.error({ err: error }, "A preview could not be entered");
      say(response, "unavailable");
    }
    return null;
  }

  /** Opens the stream to the program, and says what becomes of it before its answer begins. */
  #ask(
    request: IncomingMessage,
    response: ServerResponse,
    { previewId }: Viewer,
    asked: OutgoingHttpHeaders,
    endStream: boolean,
  ): ClientHttp2Stream | null {
    const { hosts, tunnels } = this.#parts;
    const origin = new URL(hosts.originOf(previewId));
    const headers = headersToProgram(request, { origin, address: this.#readAddress(request) });
    const target = { ...headers, ...asked, ":path": request.url, ":authority": origin.host };
    const stream = tunnels.request(previewId, target, endStream);
    if (stream === null) {
      say(response, tunnels.whyAbsent(previewId));
      return null;
    }
    // At once: a session that broke off by itself closes no stream.
    const late = setTimeout(() => {
      say(response, "late");
      stream.close(constants.NGHTTP2_CANCEL);
    }, firstByteMilliseconds);
    stream.once("response", () => clearTimeout(late));
    stream.on("error", () => undefined);
    stream.once("close", () => {
      clearTimeout(late);
      // What has begun is cut, so that it is not taken for whole.
      if (!response.writableEnded) say(response, "failed");
    });
    return stream;
  }

  /** Waits for a place among what is open for the same person; false if they have left by then. */
  async #takeTurn(viewer: Viewer, target: ServerResponse | Socket): Promise<boolean> {
    if (target.destroyed) return false;
    this.#visits.set(target, viewer);
    target.once("close", () => this.#visits.delete(target));
    const key = `${viewer.previewId} ${viewer.userId}`;
    const line = this.#lines.get(key) ?? { open: 0, waiting: [] };
    this.#lines.set(key, line);
    const leave = () => {
      const next = line.waiting.shift();
      if (next) return next();
      line.open -= 1;
      if (line.open === 0) this.#lines.delete(key);
    };
    if (line.open >= mostAtOnce) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.open += 1;
    if (target.destroyed) leave();
    else target.once("close", leave);
    return !target.destroyed;
  }

  #stateFor(viewer: Viewer): Promise<State> {
    const key = `${viewer.previewId} ${viewer.sessionId}`;
    const last = this.#known.get(key);
    if (last && performance.now() - last.at < knownMilliseconds) return last.state;
    const state = this.#parts.access.stateFor(viewer);
    this.#known.set(key, { at: performance.now(), state });
    return state;
  }

  /** Ends what is open to people who may not see it any more. */
  async #sweep(): Promise<void> {
    for (const [key, { at }] of this.#known) if (performance.now() - at > knownMilliseconds) this.#known.delete(key);
    await Promise.all(
      [...this.#visits].map(async ([target, viewer]) => {
        if ((await this.#stateFor(viewer)) !== "open") target.destroy();
      }),
    ).catch((error: unknown) => {
      this.#parts.services.log.warn({ err: error }, "The rights of open previews could not be checked");
    });
  }

  /** Logs no query, cookie or body: they belong to the program. */
  #note({ method, headers, socket }: IncomingMessage, target: ServerResponse | Socket, status: () => number): void {
    const startedAt = performance.now();
    const before = socket.bytesWritten;
    target.once("close", () => {
      const preview = previewIdOf(this.#parts.hosts, headers.host);
      const milliseconds = Math.round(performance.now() - startedAt);
      const bytes = socket.bytesWritten - before;
      this.#parts.services.log.info({ preview, method, status: status(), bytes, milliseconds }, "preview request");
    });
  }
}

/** Whether another site, another preview or a page without an origin asks. Opening a preview by a link is theirs, too. */
function isForeign({ headers, method }: IncomingMessage, ownOrigin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== ownOrigin) return true;
  const isOpened =
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return !isOpened && /^(?:same|cross)-site$/.test(String(headers["sec-fetch-site"] ?? ""));
}

/** Passes the program's answer on, unless there was one already: a second head would end the process. */
function answerWith(stream: ClientHttp2Stream, headers: IncomingHttpHeaders, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  const status = Number(headers[":status"]);
  response.writeHead(status >= 200 && status < 600 ? status : 502, headersToViewer(headers));
  response.flushHeaders();
  stream.pipe(response);
}

function sendBody(request: IncomingMessage, stream: ClientHttp2Stream, onTooLarge: () => void): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= largestBody) return;
    request.unpipe(stream);
    onTooLarge();
    stream.close(constants.NGHTTP2_CANCEL);
  });
  request.pipe(stream);
  stream.once("close", () => request.unpipe(stream).resume());
}

/** The rest of a handshake (RFC 6455, 4.2.2). The program has accepted a key of the worker's. */
function acceptance(key: string, headers: OutgoingHttpHeaders): string {
  const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const accept = createHash("sha1").update(`${key}${guid}`).digest("base64");
  const lines = ["sec-websocket-protocol", "sec-websocket-extensions", "set-cookie"].flatMap((name) =>
    [headers[name] ?? []].flat().map((value) => `${name}: ${value}`),
  );
  const start = ["HTTP/1.1 101 Switching Protocols", "connection: Upgrade", "upgrade: websocket"];
  return `${[...start, `sec-websocket-accept: ${accept}`, ...lines].join("\r\n")}\r\n\r\n`;
}
