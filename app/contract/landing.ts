import { z } from "zod";
import { landingChoices } from "./product";
import { idSchema, requiredText, text } from "./text";

/** Body of `POST /api/products/:id/landings`: a worker asks for the branch that lands next. */
export const nextLandingBody = z.object({
  worker: requiredText(200),
  /** Whether the worker pushes to the main branch where there is no pull request (`--land`). */
  pushes: z.boolean().default(false),
});

export const nextLandingInput = nextLandingBody.extend({ product_id: idSchema });

const landingStates = [
  "working",
  "waiting_ci",
  "landed",
  "conflict",
  "test_failed",
  "refused",
] as const;

/** A branch on its way to the main branch, or what became of it. */
export const landingSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  branch: z.string(),
  state: z.enum(landingStates),
  /** Commit of the work, and of what is tested and merged: the work, with the main branch where that has moved on. */
  ours_sha: z.string(),
  head_sha: z.string().nullable(),
  worker: z.string(),
  words: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});

export const nextLandingSchema = z.object({
  landing: landingSchema
    .extend({
      /** Goes with each report; a worker that has taken over has another. */
      lease: z.string(),
      repo_url: z.string(),
      may_reach: z.array(z.string()),
      task_code: z.string(),
      pull: z
        .object({ number: z.int(), url: z.string(), head_sha: z.string(), ci: z.string() })
        .nullable(),
    })
    .nullable(),
});
export type NextLanding = NonNullable<z.output<typeof nextLandingSchema>["landing"]>;

/** Body of `PUT /api/landings/:id`: how far it is. */
export const reportLandingBody = z.object({
  lease: idSchema,
  state: z.enum([...landingStates, "put_off", "untested"]),
  head_sha: text(64).optional(),
  words: text(10_000).optional(),
});
export type LandingReport = Omit<z.input<typeof reportLandingBody>, "lease">;

export const reportLandingInput = reportLandingBody.extend({ landing_id: idSchema });

export const listLandingsInput = z.object({ product_id: idSchema });

/** GET /api/products/:id/landings: the one that lands now first, and the newest that ended. */
export const landingListSchema = z.object({
  landing: z.enum(landingChoices),
  queue: z.array(
    z.object({
      place: z.int(),
      job_id: z.string(),
      branch: z.string(),
      state: z.enum(["queued", "working", "waiting_ci"]),
    }),
  ),
  ended: z.array(landingSchema),
});
