import { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";

/** Connections that never sent a request count as idle: browsers open them, Node leaves them, and a stop would wait. */
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

/** Requests still running after this time (ms) are cut off. */
const patience = 10_000;

interface Stoppable {
  server: Server;
  log: Logger;
  /** Aborted first, so that streams and long polls end. */
  stopController: AbortController;
  /** Called last, when no request is running. */
  release(): Promise<void>;
}

/** Stops on SIGINT and SIGTERM: accepts no connections, closes streams, finishes requests, then calls `release`. */
export function stopOnSignals(stoppable: Stoppable): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal forces the exit.
    if (isStopping) process.exit(1);
    isStopping = true;
    stoppable.log.info({ signal }, "stopping");
    stopGracefully(stoppable).then(
      () => process.exit(0),
      (error: unknown) => {
        stoppable.log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

/** Stops the server, cutting off requests that take too long. */
export async function stopGracefully({ server, stopController, release }: Stoppable): Promise<void> {
  stopController.abort();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Connections that were still answering become idle only later.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  await release();
}
