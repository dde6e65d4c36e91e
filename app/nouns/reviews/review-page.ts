import { z } from "zod";
import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { jobDiffSchema } from "~/wire/agent-jobs/job-diff";
import { jobPageSchema } from "~/wire/pages/contract";
import { storyProofSchema } from "~/wire/proof/contract";
import { guideSourceSchema, sameFilesSchema, storedCommentsSchema } from "~/wire/reviews/contract";
import { markedSchema } from "~/wire/reviews/marks";
import { idSchema } from "~/wire/text";
import { storyAttemptsSchema } from "./story-changes";

export const reviewPageInput = z.object({
  story_id: idSchema.optional(),
  task_id: idSchema.optional(),
  job_id: idSchema.optional(),
  attempt: z.int().optional(),
  /** An attempt, or `looked` for what the person saw last of each file. */
  since: z.string().optional(),
  /** Characters of patches that a story's files have at most. */
  most: z.int().optional(),
});

const placeSchema = z.object({
  job_id: z.string(),
  story_id: z.string().nullable(),
  task_id: z.string().nullable(),
  is_newest: z.boolean(),
  is_whole: z.boolean(),
});

export const reviewPlaceSchema = z.object({
  /** Counted from 1; null for what is not in the queue. */
  position: z.int().nullable(),
  total: z.int(),
  frees_tasks: z.int(),
  waiting_since: z.string().nullable(),
  /** From the last on to the first, and back. */
  next: placeSchema.nullable(),
  before: placeSchema.nullable(),
});

export const reviewPlaceInput = z.object({ job_ids: z.array(idSchema) });

const pageSchema = z.object({
  leads_to: z.null(),
  product: z.object({ id: z.string(), name: z.string() }),
  story: z.object({ id: z.string(), code: z.string(), title: z.string() }).nullable(),
  open_tasks: z.int(),
  unjudged: z.array(
    z.object({
      id: z.string(),
      code: z.string(),
      title: z.string(),
      job_id: z.string(),
      attempt: z.int(),
      waits: z.boolean(),
    }),
  ),
  /** Of a story with more than one attempt to judge. */
  attempts: storyAttemptsSchema.shape.attempts.nullable(),
  /** The one attempt that is judged. */
  one: z
    .object({
      job_id: z.string(),
      diff: jobDiffSchema.nullable(),
      guide: guideSourceSchema.nullable(),
      marked: z.array(markedSchema),
      since: z.string().nullable(),
      before: jobDiffSchema.nullable(),
      /** The files that the person has seen there; null to compare with all. */
      seen: z.array(z.string()).nullable(),
    })
    .nullable(),
  of: jobPageSchema.nullable(),
  parts: z.array(z.object({ job: agentJobSchema, is_unseen: z.boolean(), said: storedCommentsSchema })),
  viewed: z.array(z.object({ job_id: z.string(), path: z.string() })),
  proofs: z.array(storyProofSchema),
  same_files: sameFilesSchema,
  queue: reviewPlaceSchema,
});
export type ReviewPage = z.infer<typeof pageSchema>;

export const reviewPageSchema = z.union([z.object({ leads_to: placeSchema }), pageSchema]);

/** Where a review is. An address that asks for something shows the attempt alone, also of a story's last work. */
export function reviewAddress(
  { job_id, story_id, task_id, is_newest, is_whole }: z.infer<typeof placeSchema>,
  query = new URLSearchParams(),
): string {
  if (story_id === null || task_id === null) return `/jobs/${job_id}/changes`;
  if (is_whole && query.size === 0) return `/stories/${story_id}/changes`;
  const place = new URLSearchParams({ task: task_id, ...(is_newest ? {} : { job: job_id }) });
  for (const [name, value] of query) place.append(name, value);
  return `/stories/${story_id}/changes?${place}`;
}
