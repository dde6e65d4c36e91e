import { z } from "zod";
import { landingChoices } from "../products/contract";
import { idSchema, requiredText, text } from "../text";

/** Body of `POST /api/products/:id/landings`: a worker asks for the next branch to land. */
export const nextLandingBody = z.object({
  worker: requiredText(200),
  /** Whether the worker pushes to the main branch if there is no pull request (`--land`). */
  pushes: z.boolean().default(false),
});

export const nextLandingInput = nextLandingBody.extend({ product_id: idSchema });

const landingStates = ["working", "waiting_ci", "landed", "conflict", "test_failed", "refused"] as const;

/** A branch that is landing on the main branch, or has ended. */
export const landingSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  branch: z.string(),
  state: z.enum(landingStates),
  /** `ours_sha` is the work's commit; `head_sha` is tested and merged: the work, merged with main if main moved on. */
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
      /** Sent with each report. If another worker takes over, it gets a new lease. */
      lease: z.string(),
      repo_url: z.string(),
      may_reach: z.array(z.string()),
      task_code: z.string(),
      pull: z
        .object({
          number: z.int(),
          url: z.string(),
          head_sha: z.string(),
          ci: z.string(),
          /** True while CI may still begin: earlier pull requests of the product had it. */
          expects_ci: z.boolean().default(false),
        })
        .nullable(),
    })
    .nullable(),
});
export type NextLanding = NonNullable<z.output<typeof nextLandingSchema>["landing"]>;

/** Body of `PUT /api/landings/:id`: state of the landing. */
export const reportLandingBody = z.object({
  lease: idSchema,
  state: z.enum([...landingStates, "put_off", "untested"]),
  head_sha: text(64).optional(),
  words: text(10_000).optional(),
});
export type LandingReport = Omit<z.input<typeof reportLandingBody>, "lease">;

export const reportLandingInput = reportLandingBody.extend({ landing_id: idSchema });

export const listLandingsInput = z.object({ product_id: idSchema });

/** GET /api/products/:id/landings: the queue, the current landing first, and the newest ended landings. */
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
