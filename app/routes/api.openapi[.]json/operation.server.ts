import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { type ErrorStatus, errorBodySchema } from "~/contract/errors";
import { idSchema } from "~/contract/text";

type Security = "token" | "token or session" | "session" | "pairing" | "schedule" | "none";

interface Description {
  id: string;
  summary: string;
  security: Security;
  /** Name of the path parameter with an id. */
  idParam?: string;
  /** Name of a further one, with an id or a code. */
  referenceParam?: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Status and body of a good answer. */
  status?: 200 | 201 | 202 | 204;
  answer: z.ZodType | "stream" | "nothing";
  errors: readonly ErrorStatus[];
}

const securities: Record<Security, Record<string, string[]>[]> = {
  token: [{ token: [] }],
  "token or session": [{ token: [] }, { session: [] }],
  session: [{ session: [] }],
  pairing: [{ pairing: [] }],
  schedule: [{ schedule: [] }],
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
  413: "The body is too large",
  415: "Another type of body",
  422: "Well-formed, but not valid; issues say what and where",
  429: "Rate limit exceeded; Retry-After says for how long",
  500: "Unexpected error",
  503: "The service is starting or stopping",
};

/** One operation of the document: what all have in common is written here once. */
export function operation(description: Description): ZodOpenApiOperationObject {
  const { id, summary, security, query, body, status = 200, answer } = description;
  const path = pathParams(description);
  return {
    operationId: id,
    summary,
    security: securities[security],
    ...(path || query
      ? { requestParams: { ...(path ? { path } : {}), ...(query ? { query } : {}) } }
      : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: body } } } }
      : {}),
    responses: {
      [`${status}`]: {
        description: "Good",
        ...contentOf(answer),
      },
      ...errorResponses(description.errors),
    },
  };
}

function pathParams({ idParam, referenceParam }: Description): z.ZodObject | undefined {
  if (idParam === undefined) return undefined;
  return z.object({
    [idParam]: idSchema,
    ...(referenceParam === undefined ? {} : { [referenceParam]: z.string() }),
  });
}

function contentOf(answer: Description["answer"]) {
  if (answer === "nothing") return {};
  const content =
    answer === "stream"
      ? { "text/event-stream": { schema: z.string() } }
      : { "application/json": { schema: answer } };
  return { content };
}

function errorResponses(statuses: readonly ErrorStatus[]): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  for (const status of statuses) {
    responses[`${status}`] = {
      description: meanings[status],
      content: { "application/json": { schema: errorBodySchema } },
    };
  }
  return responses;
}
