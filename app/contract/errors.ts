import { z } from "zod";

/** One thing that is wrong in a request: where, and what to do about it. */
export interface Issue {
  path: string;
  message: string;
}

/** The HTTP statuses with which the service refuses or fails (specification: Errors). */
export const errorStatuses = [
  400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503,
] as const;
export type ErrorStatus = (typeof errorStatuses)[number];

/** The one error body of REST, forms and MCP: `{ error, code, issues? }`, and what a refusal adds (412: `current`, `changed_fields`, …). */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.number().int(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** What a demo account reads wherever it tries to write (specification: Authentication 3). */
export const demoRefusal =
  "This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.";

/** Marks refusals across the two server bundles, in each of which this module is a copy of its own. */
const refusalMark = Symbol.for("backloom.refusal");

/** A refusal with the sentence that the caller reads; everything else that is thrown is a 500. */
export class ContractError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is ContractError {
    return typeof value === "object" && value !== null && refusalMark in value;
  }

  readonly [refusalMark] = true;
  readonly status: ErrorStatus;
  readonly issues: Issue[] | undefined;
  /** Seconds until a 429 may be tried again. */
  readonly retryAfter: number | undefined;
  /** Machine-readable extras of a refusal, for example `{ blockers }`. */
  readonly detail: Record<string, unknown> | undefined;

  constructor(
    status: ErrorStatus,
    message: string,
    extras: { issues?: Issue[]; retryAfter?: number; detail?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = "ContractError";
    this.status = status;
    this.issues = extras.issues;
    this.retryAfter = extras.retryAfter;
    this.detail = extras.detail;
  }

  toBody(): ErrorBody {
    const body: ErrorBody = { error: this.message, code: this.status };
    return this.issues ? { ...body, issues: this.issues } : body;
  }
}
