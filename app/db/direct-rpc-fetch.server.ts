import { CallFailure } from "./call-failure.server";
import type { DirectTransport } from "./direct-transport.server";
import { postgrestStatus } from "./postgrest-status";
import type { DatabaseRefusal } from "./refusal.server";

interface Project {
  supabaseUrl: string;
  secretKey: string;
}

/**
 * A `fetch` for supabase-js that answers `POST /rest/v1/rpc/*` with the secret key over the pooled
 * connections, in the shapes of PostgREST, and passes every other request on.
 */
export function directRpcFetch(
  direct: DirectTransport,
  project: Project,
  passOn: typeof fetch,
): typeof fetch {
  const prefix = `${project.supabaseUrl}/rest/v1/rpc/`;
  return async (input, init) => {
    const request = new Request(input, init);
    if (!isDirectCall(request, prefix, project.secretKey)) return passOn(request);
    const functionName = decodeURIComponent(request.url.slice(prefix.length));
    try {
      const text = await direct.callOnce(functionName, readArguments(await request.text()));
      return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      return toResponse(error.refusal);
    }
  };
}

/** Filters, other schemas and the tokens of users are the business of the real Data API. */
function isDirectCall(request: Request, prefix: string, secretKey: string): boolean {
  const profile = request.headers.get("content-profile") ?? "public";
  const bearer = request.headers.get("authorization") ?? `Bearer ${secretKey}`;
  return (
    request.method === "POST" &&
    request.url.startsWith(prefix) &&
    !request.url.includes("?") &&
    profile === "public" &&
    request.headers.get("apikey") === secretKey &&
    bearer === `Bearer ${secretKey}`
  );
}

function readArguments(body: string): Record<string, unknown> {
  const parsed: unknown = body === "" ? {} : JSON.parse(body);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

function toResponse(refusal: DatabaseRefusal): Response {
  const body = {
    code: refusal.code,
    details: refusal.detail,
    hint: null,
    message: refusal.message,
  };
  return Response.json(body, { status: postgrestStatus(refusal.code) });
}
