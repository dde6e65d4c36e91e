import { PassThrough } from "node:stream";
import type {
  ActionFunctionArgs,
  AppLoadContext,
  EntryContext,
  LoaderFunctionArgs,
} from "@remix-run/node";
import { createReadableStreamFromReadable } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { NonceProvider } from "~/components/nonce";

/** After this time a page that still waits for deferred data is cut off. */
const renderTimeout = 5_000;

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const waitForAll = isbot(request.headers.get("user-agent") ?? "");
  return new Promise((resolve, reject) => {
    let answerStatus = status;
    const answer = () => {
      const body = new PassThrough();
      headers.set("content-type", "text/html; charset=utf-8");
      resolve(
        new Response(createReadableStreamFromReadable(body), { headers, status: answerStatus }),
      );
      pipe(body);
    };
    const { pipe, abort } = renderToPipeableStream(
      <NonceProvider value={context.cspNonce}>
        <RemixServer
          context={remixContext}
          url={request.url}
          abortDelay={renderTimeout}
          nonce={context.cspNonce}
        />
      </NonceProvider>,
      {
        nonce: context.cspNonce,
        onAllReady: () => waitForAll && answer(),
        onShellReady: () => waitForAll || answer(),
        onShellError: reject,
        onError(error: unknown) {
          answerStatus = 500;
          context.log.error({ err: error }, "a page failed to render");
        },
      },
    );
    setTimeout(abort, renderTimeout + 1_000).unref();
  });
}

/** Errors that loaders and actions throw unexpectedly; refusals are responses and do not come here. */
export function handleError(
  error: unknown,
  { request, context }: LoaderFunctionArgs | ActionFunctionArgs,
): void {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  context.log.error({ err: error, method: request.method }, "a page request failed");
}
