import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { type ErrorStatus, errorBodySchema } from "~/contract/errors";
import { idempotencyKeySchema } from "~/contract/idempotency";
import { idSchema } from "~/contract/text";
import type { DocumentedEndpoint } from "~/http/documentation.server";

const securities: Record<
  DocumentedEndpoint["auth"] | "person" | "pairing",
  Record<string, string[]>[]
> = {
  bearer: [{ token: [] }],
  either: [{ token: [] }, { session: [] }],
  cookie: [{ session: [] }],
  person: [{ session: [] }],
  pairing: [{ pairing: [] }],
  cron: [{ schedule: [] }],
  none: [],
};

const meanings: Record<ErrorStatus, string> = {
  400: "The body is not valid JSON, or a required query parameter is missing",
  401: "The credential is missing, unknown, expired or revoked",
  403: "A demo account writes, or the caller has no access to the product",
  404: "Unknown id, or there is nothing to answer",
  405: "Another method; Allow names those that are served",
  409: "The state does not allow it",
  410: "Expired, or used already",
  412: "The row is not the version that If-Match names; current has it, changed_fields what is new",
  413: "The body is too large",
  415: "Another type of body",
  422: "Well-formed, but not valid; issues say what and where",
  429: "Rate limit exceeded; Retry-After says for how long",
  500: "Unexpected error",
  503: "The service is starting or stopping",
  507: "The installation has no room for more files; its administrator can make some",
};

const keyHeader = z.object({
  "Idempotency-Key": idempotencyKeySchema.optional().meta({
    description:
      "Names this request: sent again with the same key within 24 hours it does nothing more and is answered as the first time, with Idempotency-Replayed: true",
  }),
});
const versionHeader = z.object({
  "If-Match": z.string().optional().meta({
    description:
      "The ETag that the change was made from: when somebody changed the row since, nothing is written and the answer is 412",
  }),
});
/** The same request is still running; or the key was used for another request. */
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
            content: {
              "multipart/form-data": { schema: z.intersection(endpoint.form, uploadedFile) },
            },
          },
        }
      : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: body } } } }
      : {}),
    responses: {
      [`${status}`]: {
        description: "Good",
        ...contentOf(answer),
      },
      ...errorResponses(new Set([...errorsOf(endpoint), ...(isKeyed ? keyErrors : [])])),
    },
  };
}

/** The first path parameter is an id; later ones may be codes. */
function pathParams(address: string): z.ZodObject | undefined {
  const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return undefined;
  return z.object(
    Object.fromEntries(names.map((name, index) => [name, index === 0 ? idSchema : z.string()])),
  );
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
function errorsOf({
  auth,
  id,
  query,
  form,
  body = form,
  answer,
  refusals = [],
}: DocumentedEndpoint) {
  const errors = new Set<ErrorStatus>([405, ...refusals]);
  const add = (...more: ErrorStatus[]) => more.forEach((status) => void errors.add(status));
  if (auth !== "none") add(401, 500);
  if (id !== undefined) add(403, 404);
  if (body) add(400, 413, 422);
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
