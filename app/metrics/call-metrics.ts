import type { Database } from "~/db/database.server";
import type { Family } from "./families";
import { counter } from "./families";
import { Histogram } from "./histogram";

/** Operations that this process asked the database for, and the jobs that it handed out. */
export class CallMetrics {
  readonly #durations = new Histogram();
  #claims = 0;
  #failures = 0;

  /** The same database, with each call measured. */
  measure(database: Database): Database {
    return {
      ...database,
      callAs: (credential, operation, ...values) =>
        this.#timed(operation, () => database.callAs(credential, operation, ...values)),
      call: (operation, values) => this.#timed(operation, () => database.call(operation, values)),
    };
  }

  async #timed(operation: string, call: () => Promise<string>): Promise<string> {
    const startedAt = performance.now();
    try {
      const answer = await call();
      // The one answer without a job begins so; the others are long, and not worth reading for a number.
      if (operation === "claim_agent_job" && !/^\s*\{\s*"job"\s*:\s*null/.test(answer)) {
        this.#claims += 1;
      }
      return answer;
    } catch (error) {
      if (isFailure(error)) this.#failures += 1;
      throw error;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      this.#durations.observe(operation, () => ({ operation }), seconds);
    }
  }

  families(): Family[] {
    return [
      counter(
        "backloom_claims_total",
        "Jobs that workers took through this process.",
        this.#claims,
      ),
      counter(
        "backloom_database_call_failures_total",
        "Calls that the database did not answer, refusals left out.",
        this.#failures,
      ),
      this.#durations.family(
        "backloom_database_call_duration_seconds",
        "Time of a call of the database, by operation, waiting for a connection included.",
      ),
    ];
  }
}

/** A refusal is an answer. */
function isFailure(error: unknown): boolean {
  return !(error instanceof Error && "status" in error && Number(error.status) < 500);
}
