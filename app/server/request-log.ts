import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { NodeRequestContext } from "./request-context";
import type { RequestTarget } from "./request-target";

/**
 * One line per request. Never the query, the headers or a body: secrets could stand in them. Of its few fields none can be
 * a secret, so they are not searched for one: that would cost more than the line itself.
 */
export function createRequestLog(
  log: Logger,
): (
  context: NodeRequestContext,
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
) => void {
  if (!log.isLevelEnabled("info")) return () => undefined;
  const plainLog = log.child({}, { redact: { paths: [] } });
  return (context, target, request, response) => {
    const startedAt = performance.now();
    response.once("close", () => {
      plainLog.info(
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
  };
}
