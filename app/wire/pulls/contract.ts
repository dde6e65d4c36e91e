import { z } from "zod";
import { branchPrefixSchema } from "../products/contract";
import { httpUrlSchema, idSchema, integerSchema, text } from "../text";

export const pullStates = ["open", "closed", "merged"] as const;
export const ciStates = ["none", "pending", "passed", "failed"] as const;
const pullReviews = ["none", "approved", "changes_requested"] as const;

/** Limits of one report: pull requests; for each, failed CI checks with logs, and comments (texts in characters). */
export const pullLimits = { pulls: 100, failed: 5, log: 20_000, comments: 50, comment: 10_000 } as const;

const commentSchema = z.object({
  id: text(200).min(1),
  kind: z.enum(["changes_requested", "review_comment"]),
  author: text(200),
  body: text(pullLimits.comment),
  path: text(1_000).nullish(),
  line: integerSchema.min(1).nullish(),
  /** True if its author may push to the repository. */
  trusted: z.boolean(),
  edited: z.boolean(),
});

const observedPullSchema = z.object({
  number: integerSchema.min(1),
  url: httpUrlSchema,
  branch: text(200).min(1),
  head_sha: z.string().regex(/^[0-9a-f]{7,64}$/, "Must be a commit's hash."),
  state: z.enum(pullStates),
  draft: z.boolean().optional(),
  /** Null or absent: unknown yet. */
  mergeable: z.boolean().nullish(),
  ci: z
    .object({
      state: z.enum(ciStates),
      failed: z
        .array(z.object({ name: text(200), log: text(pullLimits.log) }))
        .max(pullLimits.failed)
        .optional(),
    })
    .optional(),
  review: z.enum(pullReviews).optional(),
  comments: z.array(commentSchema).max(pullLimits.comments).optional(),
  observed_at: z.iso.datetime({ offset: true }),
});
export type ObservedPull = z.output<typeof observedPullSchema>;

/** Body of `PUT /api/pulls/observed`. */
export const observePullsInput = z.object({
  product_id: idSchema,
  pulls: z.array(observedPullSchema).max(pullLimits.pulls),
});

/** `observed` reports were the product's and new; `again` are pull requests to report again for an attempt. */
export const observedSchema = z.object({ observed: z.int(), again: z.array(z.int()) });

export const listPullsInput = z.object({ product_id: idSchema, state: z.enum(["open", "all"]).optional() });

export const pullSchema = z.object({
  id: z.string(),
  number: z.int(),
  url: z.string(),
  branch: z.string(),
  head_sha: z.string(),
  state: z.enum(pullStates),
  draft: z.boolean(),
  mergeable: z.boolean().nullable(),
  ci: z.enum(ciStates),
  review: z.enum(pullReviews),
  observed_at: z.string(),
});

export const pullListSchema = z.object({
  pulls: z.array(pullSchema),
  /** Where the names of the product's branches begin. Older services omit this. */
  branch_prefix: branchPrefixSchema.optional(),
});

export const pullTextsInput = z.object({ product_id: idSchema });

/** Texts for the pull requests of done work; `wanted`: the product asks for them; `draft`: until all criteria are proven. */
export const pullTextsSchema = z.object({
  /** Absent from services before 0.4. */
  wanted: z.boolean().optional(),
  draft: z.boolean(),
  branches: z.array(
    z.object({
      branch: z.string(),
      title: z.string(),
      /** Changes with the text. */
      digest: z.string(),
      /** Address of the open one, as last seen. */
      url: z.string().nullish(),
      stories: z.array(z.object({ id: z.string(), code: z.string(), title: z.string(), description: z.string() })),
    }),
  ),
});
