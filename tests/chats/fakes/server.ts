import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { portOf } from "../../setup/port-of";

export interface FakeRequest {
  method: string;
  /** Without the leading slash and the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** Ends when the caller hangs up. */
  gone: Promise<void>;
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Without news it responds 204. */
  json?: unknown;
}

export interface FakeServer {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  sockets: WebSocketServer;
  /** What was asked, as `POST chat.postMessage`, and in which order. */
  calls: string[];
  /** Ends all connections, as a network that fails. */
  drop(): void;
  close(): Promise<void>;
}

/** Web server and socket server of a fake of a chat service, on one port of this machine. */
export async function openFakeServer(
  answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>,
): Promise<FakeServer> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = decodeURI(url.pathname).slice(1);
    const method = request.method ?? "GET";
    const gone = once(response, "close").then(() => undefined);
    const said = await text(request).catch(() => "");
    const read = said === "" ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(said));
    calls.push(`${method} ${path}`);
    const body = { method, path, query: url.searchParams, headers: request.headers, body: read, gone };
    const { status, headers, json } = await answer(body);
    if (response.destroyed) return;
    response.writeHead(status ?? (json === undefined ? 204 : 200), { "Content-Type": "application/json", ...headers });
    response.end(json === undefined ? undefined : JSON.stringify(json));
  });
  const sockets = new WebSocketServer({ server });
  const port = await portOf(server);
  const drop = () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    sockets,
    calls,
    drop,
    async close() {
      const closed = once(server.close(), "close");
      drop();
      await closed;
    },
  };
}
