import { z } from "zod";
import type { Database } from "~/db/database.server";
import { waitedSchema } from "~/wire/reviews/contract";
import { counter, type Family, Histogram } from "./families";

/** Counts this process's database calls and the jobs claimed through it. */
export class CallMetrics {
  readonly #durations = new Histogram();
  readonly #reviews = new ReviewMetrics();
  #claims = 0;
  #failures = 0;

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
      if (operation === "claim_agent_job" && !/^\s*\{\s*"job"\s*:\s*null/.test(answer)) this.#claims += 1;
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
      counter("backloom_claims_total", "Jobs claimed by workers through this process.", this.#claims),
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

const waitsSchema = z.object({ reviews: z.array(waitedSchema) });

/** From a look within a minute to one after a week. */
const bounds = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 604_800];

/** How long work of agents had waited for people, by what this process answered. */
class ReviewMetrics {
  readonly #waits = { note_first_look: new Histogram(bounds), review_job: new Histogram(bounds) };

  constructor() {
    for (const waits of Object.values(this.#waits)) waits.open("", () => ({}));
  }

  /** Takes note of an answer that ended a wait; others are not parsed. */
  note(operation: string, answer: string): void {
    const isOfStory = operation === "review_story";
    const name = isOfStory ? "review_job" : operation;
    if (name !== "note_first_look" && name !== "review_job") return;
    const answered: unknown = JSON.parse(answer);
    const waits = isOfStory ? waitsSchema.parse(answered).reviews : [waitedSchema.parse(answered)];
    for (const { waited_seconds: seconds } of waits) {
      if (seconds !== null) this.#waits[name].observe("", () => ({}), seconds);
    }
  }

  families(): Family[] {
    return [
      this.#waits.note_first_look.family(
        "backloom_review_first_look_seconds",
        "Time from done to a person's first look, counted by the process that served it.",
      ),
      this.#waits.review_job.family(
        "backloom_review_verdict_seconds",
        "Time from done to the first verdict, counted by the process that served it.",
      ),
    ];
  }
}
