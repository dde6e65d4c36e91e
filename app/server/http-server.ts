import { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * A Node server that ends slow requests: headers within 10 s, all of it within 15 s. Connections on which nothing was ever
 * asked count as idle too: browsers open them ahead of need, Node leaves them alone, and each would hold a stop up.
 */
export class HttpServer extends Server {
  readonly #silent = new Set<Socket>();

  constructor() {
    super({ connectionsCheckingInterval: 1_000 });
    this.headersTimeout = 10_000;
    this.requestTimeout = 15_000;
    this.keepAliveTimeout = 20_000;
    this.on("connection", (socket: Socket) => {
      this.#silent.add(socket);
      socket.once("close", () => this.#silent.delete(socket));
    });
    this.on("request", ({ socket }) => this.#silent.delete(socket));
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const socket of this.#silent) if (socket.bytesRead === 0) socket.destroy();
  }
}
