import net from "node:net";
import { portOf } from "./port-of";

/** A connection between the app and the broadcast server that a test can cut, refuse or freeze. */
export interface TcpProxy {
  port: number;
  /** Ends every connection; new ones are let through. */
  cut(): void;
  /** Ends every connection and refuses new ones until `allow`. */
  refuse(): void;
  /** Leaves every connection open and lets nothing through: half-open, as after a dead router. */
  freeze(): void;
  allow(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<[net.Socket, net.Socket]>();
  let isRefusing = false;
  const server = net.createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const upstream = net.connect(target, "127.0.0.1");
    const pair: [net.Socket, net.Socket] = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  const port = await portOf(server);
  const cut = () => {
    for (const [client] of [...pairs]) client.destroy();
  };
  return {
    port,
    cut,
    refuse() {
      isRefusing = true;
      cut();
    },
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.pause();
        upstream.pause();
      }
    },
    allow() {
      isRefusing = false;
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
