import type { IncomingMessage, RequestListener, Server } from "node:http";
import { Socket } from "node:net";
import type { Services } from "~/context/services.server";
import { previewHostsOf } from "~/preview-hosts.server";
import { createPreviewAccess } from "~/previews/access.server";
import { PreviewOrigins } from "~/previews/origin.server";
import { responseOn, Tunnels, tunnelPath } from "~/previews/tunnel.server";
import { takeAbsoluteForm } from "./request-target";

/** Lets previews and the tunnels of their workers answer before everything else of the service. */
export function listenWithPreviews(server: Server, services: Services, front: RequestListener): void {
  const { previewOrigin } = services.env;
  const access = createPreviewAccess(services.database);
  const tunnels = new Tunnels(access);
  const hosts = previewOrigin === null ? null : previewHostsOf(previewOrigin);
  const origins = hosts && new PreviewOrigins({ hosts, services, access, tunnels });
  // What nothing waits for must not end the process.
  const settle = (answering: Promise<void>, socket: Socket) =>
    answering.catch((error: unknown) => {
      services.log.error({ err: error }, "A request to a preview failed");
      socket.destroy();
    });
  server.on("request", (request, response) => {
    takeAbsoluteForm(request);
    if (origins?.owns(request)) settle(origins.answer(request, response), request.socket);
    else front(request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    // Of an HTTP server it always is one.
    if (!(socket instanceof Socket)) return;
    if (!/^websocket$/i.test(request.headers.upgrade ?? "")) return askAgain(server, request, socket, head);
    socket.on("error", () => socket.destroy());
    takeAbsoluteForm(request);
    if (origins?.owns(request)) settle(origins.upgrade(request, socket, head), socket);
    else if (request.url?.split("?")[0] === tunnelPath) settle(tunnels.accept(request, socket, head), socket);
    // In development, Vite listens for its own.
    else if (!request.headers["sec-websocket-protocol"]?.startsWith("vite-"))
      front(request, responseOn(request, socket));
  });
  services.stopSignal.addEventListener("abort", () => {
    origins?.close();
    tunnels.close();
  });
}

/** Takes a request for another protocol (`h2c`) without that wish. Node reads the body of none that has it. */
function askAgain(server: Server, { method, url, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer): void {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const kept = pairs.filter((pair) => !/^(?:connection|upgrade|http2-settings):/i.test(pair));
  const start = Buffer.from([`${method} ${url} HTTP/1.1`, "connection: close", ...kept, "", ""].join("\r\n"), "latin1");
  socket.unshift(Buffer.concat([start, head]));
  server.emit("connection", socket);
}
