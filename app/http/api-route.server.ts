import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { ContractError, type ErrorStatus } from "~/contract/errors";
import { methodNotAllowed, noContent, problem } from "./responses.server";

/** What GET /api/openapi.json says about an endpoint, besides what follows from its checks. */
export interface Documentation {
  /** Unique operation name in the document. */
  name: string;
  summary: string;
  answer: z.ZodType | "stream" | "file" | "nothing";
  /** Success status, if not 200. */
  status?: 201 | 202 | 204;
  /** Refusals of the operation itself, besides those of the checks before it. */
  refusals?: readonly ErrorStatus[];
  /** Who may call, if it differs from the checks: `person` refuses tokens, `pairing` accepts the pairing cookie. */
  caller?: "person" | "pairing";
  /** What to send, if the operation validates it instead of the endpoint. */
  takes?: { query?: z.ZodObject; body?: z.ZodType };
}

/** An endpoint as the OpenAPI document describes it. */
export interface DocumentedEndpoint extends Documentation {
  auth: "bearer" | "cookie" | "either" | "none" | "cron";
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Fields of a multipart body, besides its `file`. */
  form?: z.ZodType;
}

export type RouteArgs = LoaderFunctionArgs | ActionFunctionArgs;

type Answer = (args: RouteArgs) => Promise<Response>;

/** An endpoint ready to be called. Its input types are checked where it is declared. */
export type Endpoint = Answer & { description: DocumentedEndpoint };

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Endpoints = Partial<Record<Method, Endpoint>>;

/** Handles every method of an address. `methods` is the value of `Allow`. */
export type RouteHandler = Answer & { methods: readonly string[]; endpoints: Endpoints };

/**
 * Loader of one resource route under /api; the front calls it for all methods. Responses are JSON; unknown methods get
 * 405 with `Allow`, OPTIONS gets 204, and HEAD runs GET without sending a body.
 */
export function apiRoute(
  endpoints: Endpoints,
  { head = true }: { head?: boolean } = {},
): RouteHandler {
  const methods = allowedMethods(Object.keys(endpoints), head);
  const table = new Map(Object.entries(endpoints));

  const answer = async (args: RouteArgs): Promise<Response> => {
    const { method } = args.request;
    if (method === "OPTIONS") return noContent({ allow: methods.join(", ") });
    const endpoint = table.get(method === "HEAD" ? "GET" : method);
    if (!endpoint || !methods.includes(method)) return methodNotAllowed(methods);
    try {
      return await endpoint(args);
    } catch (error) {
      return refusal(error, args);
    }
  };
  return Object.assign(answer, { methods, endpoints });
}

function allowedMethods(given: readonly string[], head: boolean): readonly string[] {
  const withHead = given.flatMap((method) => (method === "GET" && head ? ["GET", "HEAD"] : method));
  return [...withHead, "OPTIONS"];
}

function refusal(error: unknown, { request, context }: RouteArgs): Response {
  if (error instanceof ContractError) return problem(error);
  return unexpected(error, request, context);
}

/** Logs the error under the request id. The caller gets only that id. */
function unexpected(error: unknown, request: Request, context: AppLoadContext): Response {
  context.log.error({ err: error, method: request.method }, "a request failed");
  const text = `Something went wrong here. Try again; request id: ${context.requestId}`;
  return problem(new ContractError(500, text));
}
