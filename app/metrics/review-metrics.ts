import { z } from "zod";
import { waitedSchema } from "~/nouns/job-reviews/contract";
import type { Family } from "./families";
import { Histogram } from "./histogram";

const waitsSchema = z.object({ reviews: z.array(waitedSchema) });

/** From a look within a minute to one after a week. */
const bounds = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 604_800];

/** How long work of agents had waited for people, by what this process answered. */
export class ReviewMetrics {
  readonly #waits = {
    note_first_look: new Histogram(bounds),
    review_job: new Histogram(bounds),
  };

  constructor() {
    for (const waits of Object.values(this.#waits)) waits.open("", () => ({}));
  }

  /** Takes note of an answer that ended a wait; others are not parsed. */
  note(operation: string, answer: string): void {
    const isOfStory = operation === "review_story";
    const name = isOfStory ? "review_job" : operation;
    if (name !== "note_first_look" && name !== "review_job") return;
    const told: unknown = JSON.parse(answer);
    const waits = isOfStory ? waitsSchema.parse(told).reviews : [waitedSchema.parse(told)];
    for (const { waited_seconds: seconds } of waits) {
      if (seconds !== null) this.#waits[name].observe("", () => ({}), seconds);
    }
  }

  families(): Family[] {
    return [
      this.#waits.note_first_look.family(
        "backloom_review_first_look_seconds",
        "Time from done to the first look of a person, by looks through this process.",
      ),
      this.#waits.review_job.family(
        "backloom_review_verdict_seconds",
        "Time from done to the first verdict, by verdicts through this process.",
      ),
    ];
  }
}
