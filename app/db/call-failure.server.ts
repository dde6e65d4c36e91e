import { setTimeout as wait } from "node:timers/promises";
import { type DatabaseRefusal, toContractError } from "./refusal.server";

/**
 * A failed call. `unknown` means that the statement was sent but the connection was lost before the answer:
 * it may have been committed, so it must never be retried.
 */
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

const attempts = 4;

/**
 * Runs a call and retries it up to three times after a deadlock, a serialization failure, a lock timeout, a migration or a
 * lost connection, unless it may have been committed. Throws remaining failures as `ContractError` or `DatabaseError`.
 */
export async function answerOrRefuse<T>(call: () => Promise<T>): Promise<T> {
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
function pauseBefore(attempt: number): number {
  return 20 * 2 ** (attempt - 1) * (1 + Math.random());
}
