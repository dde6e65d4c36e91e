import { z } from "zod";

/** One problem in a request: where it is and how to fix it. */
export type Issue = { path: string; message: string };

/** HTTP statuses of refusals and failures (specification: Errors). */
export const errorStatuses = [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503, 507] as const;
export type ErrorStatus = (typeof errorStatuses)[number];

/** Error body of REST, forms and MCP. Refusals may add keys (412: `current`, `changed_fields`, …). */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.number().int(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Shown to demo accounts on every attempt to write (specification: Authentication 3). */
export const demoRefusal =
  "This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.";

/** Identifies refusals across the two server bundles: each bundle has its own copy of this module. */
const refusalMark = Symbol.for("backloom.refusal");

/** A refusal with a sentence for the caller. Any other thrown error is a 500. */
export class ContractError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is ContractError {
    return typeof value === "object" && value !== null && refusalMark in value;
  }

  readonly [refusalMark] = true;
  readonly status: ErrorStatus;
  readonly issues: Issue[] | undefined;
  /** Seconds until the caller may retry after a 429. */
  readonly retryAfter: number | undefined;
  /** Machine-readable details of a refusal, for example `{ blockers }`. */
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
