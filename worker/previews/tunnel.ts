import { randomBytes } from "node:crypto";
import { globalAgent, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { globalAgent as secureAgent } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createWebSocketStream, WebSocket } from "ws";

export interface PreviewProgram {
  connect(): Socket;
  port: number;
  /** `rewrite`: it is asked for `localhost:<port>`, which every development server answers. */
  host: "rewrite" | "keep";
}

interface TunnelOptions {
  service: string;
  token: string;
  previewId: string;
  /** Undefined once it does not run. */
  reach(previewId: string): PreviewProgram | undefined;
}

export interface Tunnel {
  /** Resolved when the service can reach the preview for the first time. */
  opened: Promise<void>;
  close(): Promise<void>;
}

const protocol = "backloom-preview.1";
const headerBytes = 65_536;
const largestMessage = 4 * 1024 * 1024;
const windows = { stream: 256 * 1024, session: 2 * 1024 * 1024 };
const longestPause = 10_000;
/** The service pings each 30 s. */
const silence = 75_000;

/** Carries requests of the service to a preview's program, over a WebSocket that the worker opens and opens again. */
export function openTunnel(options: TunnelOptions): Tunnel {
  const closing = new AbortController();
  const server = serve(options);
  let tellOpened: () => void;
  const opened = new Promise<void>((resolve) => {
    tellOpened = resolve;
  });
  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const lasted = await connectOnce(options, server, closing.signal, () => tellOpened());
      if (lasted) failures = 0;
      const pause = Math.min(longestPause, 250 * 2 ** failures) * (0.75 + Math.random() / 2);
      await wait(pause, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    opened,
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Ends with the connection; true if it was open. */
function connectOnce(
  { service, token, previewId }: TunnelOptions,
  server: Http2Server,
  stop: AbortSignal,
  onOpen: () => void,
): Promise<boolean> {
  const url = new URL(`/api/workers/preview?preview=${previewId}`, service);
  const isSecure = url.protocol === "https:";
  url.protocol = isSecure ? "wss:" : "ws:";
  const socket = new WebSocket(url, protocol, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: largestMessage,
    handshakeTimeout: 15_000,
    // The agent of all other requests, with the proxy that Node's own settings name.
    agent: isSecure ? secureAgent : globalAgent,
  });
  return new Promise((resolve) => {
    let wasOpen = false;
    let session: ServerHttp2Session | undefined;
    // The session first: what it writes after the end of its connection ends the process (an assertion in Node).
    const end = () => {
      session?.destroy();
      socket.terminate();
    };
    const silent = setTimeout(end, silence);
    stop.addEventListener("abort", end, { once: true });
    socket.on("ping", () => silent.refresh());
    socket.on("error", end);
    socket.once("close", () => {
      end();
      clearTimeout(silent);
      stop.removeEventListener("abort", end);
      resolve(wasOpen);
    });
    socket.once("open", () => {
      wasOpen = true;
      const duplex = createWebSocketStream(socket);
      duplex.on("error", end);
      server.once("session", (opened) => {
        session = opened;
      });
      server.emit("connection", duplex);
      onOpen();
    });
  });
}

function serve({ reach, previewId }: TunnelOptions): Http2Server {
  const server = createServer({
    maxSendHeaderBlockLength: headerBytes,
    settings: {
      enableConnectProtocol: true,
      maxConcurrentStreams: 100,
      maxHeaderListSize: headerBytes,
      initialWindowSize: windows.stream,
    },
  });
  server.on("session", (session) => {
    session.setLocalWindowSize(windows.session);
    session.on("error", () => session.destroy());
  });
  server.on("sessionError", () => undefined);
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    const program = reach(previewId);
    if (program === undefined) return answer(stream, { ":status": 503 });
    try {
      forward(stream, headers, program);
    } catch {
      answer(stream, { ":status": 400 });
    }
  });
  return server;
}

function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, program: PreviewProgram): void {
  const isSocket = headers[":protocol"] === "websocket";
  // Without a length or chunks, the body of a GET would be read as the next request.
  const isUnmeasured = !stream.endAfterHeaders && headers["content-length"] === undefined;
  const framing = isSocket ? upgradeHeaders() : isUnmeasured ? { "transfer-encoding": "chunked" } : {};
  const asked = request({
    createConnection: () => program.connect(),
    method: isSocket ? "GET" : headers[":method"],
    path: headers[":path"],
    headers: { ...headersFor(headers, program), ...framing },
    maxHeaderSize: headerBytes,
    setHost: false,
  });
  const publicOrigin = publicOriginOf(headers);
  asked.on("error", () => fail(stream));
  stream.once("close", () => asked.destroy());
  asked.once("response", (response) => {
    answer(stream, headersOf(response, program.port, publicOrigin), response);
  });
  asked.once("upgrade", (response, socket, head) => {
    if (!isSocket) fail(stream);
    if (!isSocket || stream.destroyed) return void socket.destroy();
    stream.respond({ ...headersOf(response, program.port, publicOrigin), ":status": 200 });
    if (head.length > 0) socket.unshift(head);
    socket.on("error", () => fail(stream));
    socket.once("close", () => stream.close());
    stream.once("close", () => socket.destroy());
    stream.pipe(socket).pipe(stream);
  });
  if (isSocket) asked.end();
  else stream.pipe(asked);
}

function answer(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, body?: IncomingMessage): void {
  if (stream.destroyed || stream.headersSent) return;
  try {
    stream.respond(headers, { endStream: body === undefined });
    body?.on("error", () => fail(stream)).pipe(stream);
  } catch {
    fail(stream);
  }
}

/** Cuts an answer that has begun, so that it is not taken for whole. */
function fail(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  if (stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else stream.respond({ ":status": 502 }, { endStream: true });
}

function upgradeHeaders(): OutgoingHttpHeaders {
  return {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    "sec-websocket-version": "13",
  };
}

function publicOriginOf(headers: IncomingHttpHeaders): string {
  return `${String(headers["x-forwarded-proto"])}://${String(headers["x-forwarded-host"])}`;
}

/** The headers of a request as the program gets them: with its own name in place of the public one. */
function headersFor(headers: IncomingHttpHeaders, { port, host }: PreviewProgram): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) if (!name.startsWith(":")) kept[name] = value;
  if (host === "keep") return { ...kept, host: String(headers["x-forwarded-host"]) };
  const publicOrigin = publicOriginOf(headers);
  for (const name of ["origin", "referer"]) {
    const value = kept[name];
    if (typeof value !== "string") continue;
    if (value === publicOrigin || value.startsWith(`${publicOrigin}/`)) {
      kept[name] = `http://localhost:${port}${value.slice(publicOrigin.length)}`;
    }
  }
  return { ...kept, host: `localhost:${port}` };
}

const ofOneConnection =
  /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade|te|trailer|http2-settings|sec-websocket-accept)$/;
const withAddress = new Set(["location", "content-location", "refresh"]);

/** The headers of an answer, with the public name in place of the program's own. */
function headersOf(response: IncomingMessage, port: number, publicOrigin: string): OutgoingHttpHeaders {
  const own = new RegExp(`(?:https?:)?//(?:localhost|127\\.0\\.0\\.1|\\[::1\\]|0\\.0\\.0\\.0):${port}(?![\\d])`, "i");
  const kept: OutgoingHttpHeaders = { ":status": response.statusCode ?? 502 };
  for (const [name, value] of Object.entries(response.headers)) {
    if (ofOneConnection.test(name)) continue;
    kept[name] = typeof value === "string" && withAddress.has(name) ? value.replace(own, publicOrigin) : value;
  }
  return kept;
}
