import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ContractError, type ErrorStatus, errorStatuses, type Issue } from "~/wire/errors";

/** `unknown`: sent, but the connection was lost before the answer; maybe committed, so it must never be retried. */
export class CallFailure extends Error {
  readonly refusal: DatabaseRefusal;
  readonly outcome: "nothing happened" | "unknown";

  constructor(refusal: DatabaseRefusal, outcome: "nothing happened" | "unknown", cause?: unknown) {
    super(refusal.message, { cause });
    this.name = "CallFailure";
    this.refusal = refusal;
    this.outcome = outcome;
  }
}

/** Repeats after deadlocks, lock timeouts, migrations and lost connections, unless it may have been committed. */
export async function answerOrRefuse<T>(call: () => Promise<T>, attempts: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      if (attempt === attempts || !isWorthRepeating(error)) throw toContractError(error.refusal);
      await wait(pauseBefore(attempt));
    }
  }
}

/** What a migration replaced while the call ran: a function, a table or a column. */
const replaced = ["42883", "42P01", "42703"];

function isWorthRepeating(failure: CallFailure): boolean {
  if (failure.outcome === "unknown") return false;
  const { code } = failure.refusal;
  return (
    ["40P01", "40001", "55P03", "PGRST000", "PGRST002", ...replaced].includes(code) ||
    code.startsWith("57P0") ||
    code.startsWith("08")
  );
}

/** 20 to 40 ms, doubled with each attempt. */
const pauseBefore = (attempt: number): number => 20 * 2 ** (attempt - 1) * (1 + Math.random());

/** A database error, as both Postgres and PostgREST's error body describe it. */
type DatabaseRefusal = { code: string; message: string; detail: string | null };

const detailSchema = z.looseObject({
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retry_after: z.number().optional(),
});

/** `PTxyz` has the HTTP status and the caller's sentence; other errors show no internals (specification: Errors). */
function toContractError(refusal: DatabaseRefusal): Error {
  const own = /^PT(\d{3})$/.exec(refusal.code);
  if (own) return fromOperation(Number(own[1]), refusal);
  const [status, message] = classify(refusal.code);
  if (status === undefined) return new DatabaseError(refusal);
  return new ContractError(status, message, {});
}

/** A failure the caller cannot act on. Logged with its cause and answered as 500. */
export class DatabaseError extends Error {
  readonly sqlState: string;

  constructor(refusal: DatabaseRefusal) {
    super(`The database answered ${refusal.code}: ${refusal.message}`);
    this.name = "DatabaseError";
    this.sqlState = refusal.code;
  }
}

function fromOperation(code: number, refusal: DatabaseRefusal): Error {
  const status = errorStatuses.find((known) => known === code);
  if (status === undefined) return new DatabaseError(refusal);
  return new ContractError(status, refusal.message, readDetail(refusal.detail));
}

function readDetail(text: string | null): { issues?: Issue[]; retryAfter?: number; detail?: Record<string, unknown> } {
  const parsed = detailSchema.safeParse(parseJson(text));
  if (!parsed.success) return {};
  const { issues, retry_after: retryAfter, ...detail } = parsed.data;
  return {
    ...(issues ? { issues } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(Object.keys(detail).length > 0 ? { detail } : {}),
  };
}

function classify(code: string): [ErrorStatus | undefined, string] {
  if (code === "23505") return [422, "This value is already taken; choose another one"];
  if (code.startsWith("23")) return [422, "A value refers to something that does not exist or breaks a rule"];
  if (code.startsWith("22")) return [422, "A value has the wrong form or is out of range"];
  if (code === "42501") return [403, "You may not do this"];
  if (code === diskFull)
    return [503, "The disk of the database is full, and nothing was saved; make room on it, then try again"];
  if (isBusy(code)) return [503, "The database is busy or restarting; try again in a moment"];
  return [undefined, ""];
}

const diskFull = "53100";

/** Timeouts, exhausted or lost connections, and conflicts that retries did not resolve. */
function isBusy(code: string): boolean {
  return (
    ["57014", "40001", "40P01", "55P03", "25P03"].includes(code) ||
    ["53", "57P", "08", "PGRST00"].some((prefix) => code.startsWith(prefix))
  );
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
