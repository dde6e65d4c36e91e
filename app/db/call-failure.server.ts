import { setTimeout as wait } from "node:timers/promises";
import { type DatabaseRefusal, toContractError } from "./refusal.server";

/**
 * A call that failed. `unknown` means that the statement was sent and the connection was lost before
 * the answer came: it may have been committed, so it is never sent again.
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
 * Runs a call, repeats it up to three times after a deadlock, a serialisation conflict, a lock
 * time-out or a lost connection, and turns what remains into the answer of the service.
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

function isWorthRepeating(failure: CallFailure): boolean {
  if (failure.outcome === "unknown") return false;
  const { code } = failure.refusal;
  return (
    ["40P01", "40001", "55P03", "PGRST000", "PGRST002"].includes(code) ||
    code.startsWith("57P0") ||
    code.startsWith("08")
  );
}

/** 20 to 40 ms, then twice that each time: long enough for a restart to begin, short for a person. */
function pauseBefore(attempt: number): number {
  return 20 * 2 ** (attempt - 1) * (1 + Math.random());
}
