import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { portOf } from "../setup/port-of";

/** A certificate for localhost that only the processes of the tests trust. */
const cert = readFileSync(new URL("./local-certificate.pem", import.meta.url));
const key = readFileSync(new URL("./local-certificate-key.pem", import.meta.url));

type Delivery = { path: string; headers: IncomingMessage["headers"]; body: Buffer };

export interface Receiver {
  origin: string;
  deliveries: Delivery[];
  /** What the next deliveries are answered with. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** A server on this machine that keeps what notices it is sent; to be closed by anyone who opens it. */
export async function openReceiver(protocol: "http" | "https"): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  let status = 200;
  const server: Server = protocol === "http" ? createHttpServer() : createHttpsServer({ cert, key });
  server.on("request", async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    deliveries.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(status).end();
  });
  const port = await portOf(server);

  return {
    origin: `${protocol}://127.0.0.1:${port}`,
    deliveries,
    answerWith(next) {
      status = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
