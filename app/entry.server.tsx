import type { ActionFunctionArgs, AppLoadContext, EntryContext, LoaderFunctionArgs } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { NonceProvider } from "~/ui/nonce";

/** No page defers data: streaming would cost as much as the rendering. If it throws, Remix renders the error page. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Response {
  const html = renderToString(
    <NonceProvider value={context.cspNonce}>
      <RemixServer context={remixContext} url={request.url} nonce={context.cspNonce} />
    </NonceProvider>,
  );
  headers.set("content-type", "text/html; charset=utf-8");
  const retryAfter = retryAfterOf(remixContext);
  if (retryAfter !== null) headers.set("retry-after", retryAfter);
  // Bytes: a text would be checked for lone surrogates and then encoded again.
  return new Response(Buffer.from(`<!DOCTYPE html>${html}`), { headers, status });
}

/** Returns `Retry-After` of a 429. Remix does not copy it from the route's answer to the page. */
function retryAfterOf({ staticHandlerContext }: EntryContext): string | null {
  const { actionHeaders, loaderHeaders } = staticHandlerContext;
  const answers = [...Object.values(actionHeaders), ...Object.values(loaderHeaders)];
  return answers.find((answer) => answer.has("retry-after"))?.get("retry-after") ?? null;
}

/** Logs unexpected errors of loaders and actions. Refusals are responses and never arrive here. */
export function handleError(error: unknown, { request, context }: LoaderFunctionArgs | ActionFunctionArgs): void {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  context.log.error({ err: error, method: request.method }, "a page request failed");
}
