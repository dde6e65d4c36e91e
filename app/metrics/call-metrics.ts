import type { Database } from "~/db/database.server";
import type { Family } from "./families";
import { counter } from "./families";
import { Histogram } from "./histogram";
import { ReviewMetrics } from "./review-metrics";

/** Counts this process's database calls and the jobs claimed through it. */
export class CallMetrics {
  readonly #durations = new Histogram();
  readonly #reviews = new ReviewMetrics();
  #claims = 0;
  #failures = 0;

  /** Returns the database with each call measured. */
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
      // Answers without a job start with `"job": null`. The others are long, so they are not parsed for a count.
      if (operation === "claim_agent_job" && !/^\s*\{\s*"job"\s*:\s*null/.test(answer)) {
        this.#claims += 1;
      }
      this.#reviews.note(operation, answer);
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
      ...this.#reviews.families(),
    ];
  }
}

/** Refusals (status below 500) are answers, not failures. */
function isFailure(error: unknown): boolean {
  return !(error instanceof Error && "status" in error && Number(error.status) < 500);
}
