import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { DocumentedEndpoint } from "~/http/endpoint.server";
import { idempotencyKeySchema } from "~/wire/concurrency";
import { type ErrorStatus, errorBodySchema } from "~/wire/errors";
import { idSchema } from "~/wire/text";
import { answers } from "./answers";
import { examples } from "./examples";

const securities: Record<DocumentedEndpoint["auth"] | "person" | "pairing", Record<string, string[]>[]> = {
  bearer: [{ token: [] }],
  either: [{ token: [] }, { session: [] }],
  cookie: [{ session: [] }],
  person: [{ session: [] }],
  pairing: [{ pairing: [] }],
  cron: [{ schedule: [] }],
  none: [],
};

const meanings: Record<ErrorStatus, string> = {
  400: "The body is not valid JSON, or a required query parameter is missing.",
  401: "The credential is missing, unknown, expired or revoked.",
  403: "The caller has no access to the product, or the account is read-only.",
  404: "The ID is unknown, or there is nothing to return.",
  405: "The method is not supported. See Allow.",
  409: "The current state does not allow this.",
  410: "Expired or already used.",
  412: "The item changed since the version in If-Match. See current and changed_fields.",
  413: "The body is too large.",
  415: "The content type is not supported.",
  422: "A value is not valid. See issues.",
  429: "Too many requests. Retry after the seconds in Retry-After.",
  500: "An unexpected error.",
  503: "The service is starting or stopping.",
  507: "There is no space left for files. An administrator can make room.",
};

const keyHeader = z.object({
  "Idempotency-Key": idempotencyKeySchema
    .optional()
    .meta({
      description:
        "Makes a retry safe: for 24 hours, a request with the same key returns the first response, with Idempotency-Replayed: true.",
    }),
});
const versionHeader = z.object({
  "If-Match": z
    .string()
    .optional()
    .meta({
      description: "The ETag you read. If the item has changed since, nothing is written and the response is 412.",
    }),
});
/** 409: the first request is still running. 422: the key was used for another request. */
const keyErrors: readonly ErrorStatus[] = [409, 422];

const uploadedFile = z.object({
  file: z.string().meta({ format: "binary", description: "The file; several for backlog-md" }),
});

/** Describes an endpoint for the document. What all endpoints have in common is written here once. */
export function describedOperation(
  endpoint: DocumentedEndpoint,
  address: string,
  method: string,
): ZodOpenApiOperationObject {
  const { name, summary, auth, caller, status = 200, answer, takes } = endpoint;
  const path = pathParams(address);
  const query = takes?.query ?? endpoint.query;
  const body = takes?.body ?? endpoint.body;
  const isKeyed = method === "POST" && auth !== "none" && auth !== "cron";
  const isVersioned = endpoint.refusals?.includes(412) ?? false;
  return {
    operationId: name,
    summary,
    security: securities[caller ?? auth],
    ...(path || query || isKeyed || isVersioned
      ? {
          requestParams: {
            ...(path ? { path } : {}),
            ...(query ? { query: read(query) } : {}),
            ...(isKeyed ? { header: keyHeader } : {}),
            ...(isVersioned ? { header: versionHeader } : {}),
          },
        }
      : {}),
    ...(endpoint.form
      ? {
          requestBody: {
            required: true,
            content: { "multipart/form-data": { schema: z.intersection(endpoint.form, uploadedFile) } },
          },
        }
      : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: body, example: examples[name] } } } }
      : {}),
    responses: {
      [`${status}`]: { description: answers[name] ?? "OK", ...contentOf(answer) },
      ...errorResponses(new Set([...errorsOf(endpoint, address), ...(isKeyed ? keyErrors : [])])),
    },
  };
}

/** The first path parameter is an id; later ones may be codes. */
function pathParams(address: string): z.ZodObject | undefined {
  const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return undefined;
  return z.object(Object.fromEntries(names.map((name, index) => [name, index === 0 ? idSchema : z.string()])));
}

/** Describes a query's fields by their parsed types: in an address all are text, but some mean numbers. */
function read(query: z.ZodObject): z.ZodObject {
  const fields = Object.entries(query.shape).map(([name, field]) => {
    const { $schema: _dialect, ...understood } = z.toJSONSchema(field, { io: "output" });
    return [name, field.meta({ override: understood })];
  });
  return z.object(Object.fromEntries(fields));
}

function contentOf(answer: DocumentedEndpoint["answer"]) {
  switch (answer) {
    case "nothing":
      return {};
    case "stream":
      return { content: { "text/event-stream": { schema: z.string() } } };
    case "file":
      return { content: { "application/octet-stream": { schema: z.string() } } };
    default:
      return { content: { "application/json": { schema: answer } } };
  }
}

/** Returns the errors of the checks before the operation (app/http/endpoint.server.ts) and of the operation. */
function errorsOf(endpoint: DocumentedEndpoint, address: string) {
  const { auth, query, form, body = form, answer, takes, refusals = [] } = endpoint;
  const errors = new Set<ErrorStatus>([405, ...refusals]);
  const add = (...more: ErrorStatus[]) => more.forEach((status) => void errors.add(status));
  if (auth !== "none") add(401, 500);
  if (address.includes("{id}")) add(403, 404);
  if (body) add(400, 413, 422);
  // Counted before it is read (`readOpenBody`).
  if (auth === "none" && (body || takes?.body)) add(429);
  if (answer === "stream") add(403, 429, 503);
  else if (query && auth !== "none") add(422);
  return errors;
}

function errorResponses(statuses: Iterable<ErrorStatus>): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  for (const status of statuses) {
    responses[`${status}`] = {
      description: meanings[status],
      content: { "application/json": { schema: errorBodySchema } },
    };
  }
  return responses;
}
