import { CallFailure } from "./call-failure.server";
import type { DirectTransport } from "./direct-transport.server";
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
  return Response.json(body, { status: statusOf(refusal.code) });
}

/** PostgREST's statuses for SQLSTATEs, as its documentation lists them. */
function statusOf(code: string): number {
  const own = /^PT(\d{3})$/.exec(code);
  if (own) return Number(own[1]);
  const exact: Record<string, number> = {
    PGRST202: 404,
    "23503": 409,
    "23505": 409,
    "25006": 405,
    "21000": 400,
    "42883": 404,
    "42P01": 404,
    "42P17": 500,
    "42501": 403,
    P0001: 400,
  };
  const classes: Record<string, number> = {
    "08": 503,
    "09": 500,
    "0L": 403,
    "0P": 403,
    "25": 500,
    "28": 403,
    "2D": 500,
    "38": 500,
    "39": 500,
    "3B": 500,
    "40": 500,
    "53": 503,
    "54": 500,
    "55": 500,
    "57": 500,
    "58": 500,
    F0: 500,
    HV: 500,
    P0: 500,
    XX: 500,
  };
  return exact[code] ?? classes[code.slice(0, 2)] ?? 400;
}
