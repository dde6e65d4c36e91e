import type { z } from "zod";
import type { ErrorStatus } from "~/contract/errors";

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
