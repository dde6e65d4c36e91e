import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeRequestContext } from "./request-context";
import type { RequestTarget } from "./request-target";

/** One line per request. Never the query, the headers or a body: secrets could stand in them. */
export function logWhenDone(
  context: NodeRequestContext,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { log } = context.services;
  if (!log.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  response.once("close", () => {
    log.info(
      {
        requestId: context.requestId,
        method: request.method,
        path: target.pathname.slice(0, 200),
        status: response.statusCode,
        milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
        address: context.clientAddress,
        ...(response.writableFinished ? {} : { cut: true }),
      },
      "request",
    );
  });
}
