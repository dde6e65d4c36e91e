import type { z } from "zod";
import type { ErrorStatus } from "~/contract/errors";

/** What the document of all endpoints says of one, beside what follows from its checks (GET /api/openapi.json). */
export interface Documentation {
  /** Its name among all operations of the document. */
  name: string;
  summary: string;
  answer: z.ZodType | "stream" | "file" | "nothing";
  /** Status of a good answer, where it is not 200. */
  status?: 201 | 202 | 204;
  /** Refusals of the operation, beside those of the checks before it. */
  refusals?: readonly ErrorStatus[];
  /** Who may call, where that is not what the checks ask for: tokens are refused, or the cookie of a pairing counts. */
  caller?: "person" | "pairing";
  /** What to send, where the operation is the one to judge it. */
  takes?: { query?: z.ZodObject; body?: z.ZodType };
}

/** An endpoint as the document reads it. */
export interface DocumentedEndpoint extends Documentation {
  auth: "bearer" | "cookie" | "either" | "none" | "cron";
  id?: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The fields of a multipart body, beside its `file`. */
  form?: z.ZodType;
}
