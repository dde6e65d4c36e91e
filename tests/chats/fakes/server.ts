import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { portOf } from "../../setup/port-of";
import type { FakeService } from "./service";

export interface FakeRequest {
  method: string;
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
  shared: Shared;
  isRevoked(): boolean;
  /** How many seconds a message has to wait: what a test asked for, or until it is within its limits. Otherwise it counts. */
  pauseFor(limits: Limit[]): number;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  sockets: WebSocketServer;
  /** What was asked, as `POST chat.postMessage`, and in which order. */
  calls: string[];
}

/** At most so many of this name within so many milliseconds. */
export type Limit = [name: string, most: number, within: number];

/** What tests do with any fake in the same way. */
type Shared = Pick<
  FakeService,
  "messages" | "answers" | "overruns" | "hold" | "slowDown" | "revoke" | "remove" | "drop" | "connections" | "close"
>;

/** Web server and socket server of a fake of a chat service, on one port of this machine. */
export async function openFakeServer(
  answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>,
): Promise<FakeServer> {
  const calls: string[] = [];
  let held: { part: string; arrived(): void } | undefined;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = decodeURI(url.pathname).slice(1);
    const method = request.method ?? "GET";
    const gone = once(response, "close").then(() => undefined);
    const said = await text(request).catch(() => "");
    const read = said === "" ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(said));
    calls.push(`${method} ${path}`);
    if (held?.part !== undefined && path.includes(held.part)) return held.arrived();
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
  const sent = new Map<string, number[]>();
  let isRevoked = false;
  let retryAfter = 0;
  const shared: Shared = {
    messages: [],
    answers: [],
    overruns: [],
    slowDown(seconds) {
      retryAfter = seconds;
    },
    revoke() {
      isRevoked = true;
      drop();
    },
    remove: (message) => void shared.messages.splice(shared.messages.indexOf(message), 1),
    drop,
    hold: (part) =>
      new Promise((resolve) => {
        const arrived = () => {
          held = undefined;
          resolve();
        };
        held = { part, arrived };
      }),
    connections: () => sockets.clients.size,
    async close() {
      const closed = once(server.close(), "close");
      drop();
      await closed;
    },
  };
  const pauseFor = (limits: Limit[]) => {
    const now = Date.now();
    const seconds = retryAfter;
    retryAfter = 0;
    if (seconds > 0) return seconds;
    const counted = limits.map(([name, most, within]) => {
      const times = (sent.get(name) ?? []).filter((at) => at > now - within);
      return { name, times, wait: (times.at(-most) ?? now - within) + within - now };
    });
    const broken = counted.filter(({ wait }) => wait > 0);
    shared.overruns.push(...broken.map(({ name }) => name));
    if (broken.length === 0) for (const { name, times } of counted) sent.set(name, [...times, now]);
    return Math.ceil(Math.max(0, ...broken.map(({ wait }) => wait)) / 1000);
  };
  return { origin: `http://127.0.0.1:${port}`, sockets, calls, shared, isRevoked: () => isRevoked, pauseFor };
}
