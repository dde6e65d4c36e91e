import { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";

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

/** What is still under way after this time is cut off. */
const patience = 10_000;

interface Stoppable {
  server: Server;
  log: Logger;
  /** Aborted first: streams and long polls end themselves. */
  stopController: AbortController;
  /** Called last, when no request is under way any more. */
  release(): Promise<void>;
}

/** Stops on SIGINT and SIGTERM: no new connections, streams closed, requests finished, then the rest. */
export function stopOnSignals(stoppable: Stoppable): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal means that somebody will not wait.
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

export async function stopGracefully({
  server,
  stopController,
  release,
}: Stoppable): Promise<void> {
  stopController.abort();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Connections whose last answer was under way become idle only afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  await release();
}
