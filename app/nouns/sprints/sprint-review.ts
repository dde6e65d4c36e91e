import { z } from "zod";
import { costsSchema } from "~/nouns/agent-jobs/contract";
import { burndownSchema } from "~/nouns/insights/contract";
import { returnCauses } from "~/nouns/lessons/contract";
import { doneRequirements } from "~/nouns/products/contract";
import { provenCriterionSchema } from "~/nouns/proof/contract";
import { reviewTimesSchema } from "~/nouns/reviews/contract";
import { sprintSchema } from "./contract";

const id = z.string();
const moment = z.string();

const reviewedJobSchema = z.object({
  id,
  status: z.string(),
  additions: z.number().nullable(),
  deletions: z.number().nullable(),
  pr_url: z.string().nullable(),
  task_code: z.string().nullable(),
});
export type ReviewedJob = z.infer<typeof reviewedJobSchema>;

const reviewedStorySchema = z.object({
  id,
  code: z.string(),
  title: z.string(),
  status: z.string(),
  /** True if it is no longer in the sprint. */
  left: z.boolean(),
  assignee_name: z.string().nullable(),
  /** Number of done tasks, and of all tasks. */
  tasks: z.tuple([z.number(), z.number()]),
  /** Contains only the deciding evidence. */
  criteria: z.array(provenCriterionSchema),
  jobs: z.array(reviewedJobSchema),
  costs: costsSchema,
});
export type ReviewedStory = z.infer<typeof reviewedStorySchema>;

const retrospectiveSchema = z.object({
  /** What came back to agents while the sprint ran, by cause. */
  returns: z.array(z.object({ cause: z.enum(returnCauses), tasks: z.int(), times: z.int() })),
  waits: z.array(
    z.object({ reason: z.enum(["question", "review"]), times: z.int(), seconds: z.number() }),
  ),
  /** Tasks with an estimate that agents finished. */
  estimates: z.object({
    tasks: z.int(),
    estimated_minutes: z.number(),
    actual_minutes: z.number(),
  }),
  /** Accepted while the sprint ran. */
  lessons: z.array(z.string()),
});
export type Retrospective = z.infer<typeof retrospectiveSchema>;

/** Answer of `get_sprint_review`. */
export const sprintReviewSchema = z.object({
  sprint: sprintSchema,
  product: z.object({ name: z.string(), done_requires: z.enum(doneRequirements) }),
  burndown: burndownSchema,
  review_times: reviewTimesSchema,
  retrospective: retrospectiveSchema,
  stories: z.array(reviewedStorySchema),
  costs: costsSchema,
  /** Jobs that worked on the whole sprint at once. */
  whole_sprint: z.array(reviewedJobSchema),
  runs: z.array(z.object({ id, status: z.string(), created_at: moment })),
  questions: z.array(z.object({ id, question: z.string(), story_id: id, story_code: z.string() })),
  failed_jobs: z.array(
    z.object({ id, task_code: z.string(), task_title: z.string(), reason: z.string().nullable() }),
  ),
  waivers: z.array(
    z.object({
      story_id: id,
      story_code: z.string(),
      criterion: z.string(),
      text: z.string(),
      reason: z.string(),
      waived_by: z.string(),
      created_at: moment,
    }),
  ),
});
export type SprintReview = z.infer<typeof sprintReviewSchema>;
