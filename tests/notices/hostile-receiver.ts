import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";
import { portOf } from "../setup/port-of";

export type HostileReceiver = { origin: string; sockets: Socket[] };

type Certificate = "local-certificate" | "stranger-certificate";

/** A server that answers a request byte by byte as the test likes; with a certificate it speaks TLS. */
export async function startHostileReceiver(
  answer: (socket: Socket) => void,
  certificate?: Certificate,
): Promise<HostileReceiver> {
  const sockets: Socket[] = [];
  const receive = (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  };
  const server: Server = certificate
    ? createTlsServer({ cert: read(`${certificate}.pem`), key: read(`${certificate}-key.pem`) }, receive)
    : createServer(receive);
  server.on("tlsClientError", () => undefined);
  const port = await portOf(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { origin: `${certificate ? "https" : "http"}://127.0.0.1:${port}`, sockets };
}

function read(file: string): Buffer {
  return readFileSync(new URL(file, import.meta.url));
}

/** Says the text a byte at a time, often enough that no idle time-out ever strikes. */
export function drip(socket: Socket, text: string): void {
  let next = 0;
  const timer = setInterval(() => {
    // The rest never comes.
    socket.write(text[next] ?? "x");
    next += 1;
  }, 500);
  socket.on("close", () => clearInterval(timer));
}

/** Writes without end, as fast as it is taken. */
export function pour(socket: Socket, opening: string, part: string): void {
  socket.write(opening);
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on("drain", more);
  more();
}
