import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { type Feed, followMessages, type Message } from "../../../supabase/embedded/realtime/feed";
import { type Keys, readToken } from "./access-token";
import { openAuthorizer } from "./authorize";
import { ClientConnection } from "./client-connection";
import { writeFrame } from "./frames";

export interface RealtimeServer {
  port: number;
  stop(): Promise<void>;
}

export interface RealtimeOptions extends Keys {
  /** A login that may follow the database and become every role, for the checks at joining. */
  databaseUrl: string;
  /** When the database begins to be followed. */
  begins?: Promise<unknown> | undefined;
  /** Answers plain requests, as the gateway of a project does. */
  answer?: typeof fetch | undefined;
  /** Messages that are dropped without a word, as those above the rate limit are. */
  drops?: ((message: Message) => boolean) | undefined;
}

/**
 * Realtime of a hosted project, for the unchanged client of supabase-js: private broadcast over WebSocket. It takes joins
 * before it follows the database, and says nothing when it did not for a while.
 */
export async function startRealtimeServer(options: RealtimeOptions): Promise<RealtimeServer> {
  const authorizer = openAuthorizer(options.databaseUrl);
  const connections = new Set<ClientConnection>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 256 * 1024 });
  let feed: Feed | undefined;
  let isReplicating = false;
  const setReplicating = (is: boolean) => {
    isReplicating = is;
    if (is) for (const connection of connections) connection.tellReplication();
  };
  const begin = async () => {
    await options.begins;
    feed = followMessages(options.databaseUrl, {
      onMessage(message) {
        if (options.drops?.(message)) return;
        const frame = broadcastFrame(message);
        for (const connection of connections) connection.deliver(message, frame);
      },
      onInterruption: () => setReplicating(false),
      onReturn: () => setReplicating(true),
    });
    await feed.begun;
  };
  const beginning = begin();
  if (options.begins) beginning.catch(() => undefined);
  else await beginning;

  const server = await serveUpgrades(options.answer, async (request, socket, head) => {
    const address = new URL(request.url ?? "/", "http://localhost");
    if (address.pathname !== "/realtime/v1/websocket") return refuse(socket, "404 Not Found");
    const keyHolder = await readToken(address.searchParams.get("apikey"), options);
    if (!keyHolder) return refuse(socket, "401 Unauthorized");
    // Anyone who reconnects during the stop would hold it up for ever.
    if (!server.listening) return refuse(socket, "503 Service Unavailable");
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new ClientConnection({
        socket: webSocket,
        keyHolder,
        keys: options,
        authorizer,
        isReplicating: () => isReplicating,
      });
      connections.add(connection);
      webSocket.on("close", () => connections.delete(connection));
    });
  });
  return {
    port: portOf(server.address()),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.cut();
      await feed?.stop();
      await closed;
      await authorizer.close();
    },
  };
}

type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

async function notFound(): Promise<Response> {
  return Response.json({ message: "Not found" }, { status: 404 });
}

/** A server on the loopback for WebSockets, and for what the gateway answers. */
async function serveUpgrades(answer: typeof fetch = notFound, accept: Accept): Promise<Server> {
  const server = createServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const passOn = async () => {
      const body = method === "GET" ? undefined : await buffer(request);
      const answered = await answer(new URL(url, "http://127.0.0.1"), { method, headers, body });
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(Buffer.from(await answered.arrayBuffer()));
    };
    passOn().catch(() => response.writeHead(502).end());
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    accept(request, socket, head).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

function broadcastFrame(message: Message): string {
  return writeFrame({
    joinRef: null,
    ref: null,
    topic: `realtime:${message.topic}`,
    event: "broadcast",
    payload: { type: "broadcast", event: message.event, payload: message.payload },
  });
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function portOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
  if (address !== null && typeof address === "object") return address.port;
  throw new Error("Realtime has no port");
}
