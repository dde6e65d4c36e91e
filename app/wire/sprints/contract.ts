import { z } from "zod";
import { costsSchema } from "../agent-jobs/contract";
import { expectedVersion, shownVersion } from "../concurrency";
import { burndownSchema } from "../insights/contract";
import { returnCauses } from "../lessons/contract";
import { lengths, sprintTasksLimit } from "../limits";
import { doneRequirements, nextStorySchema, productSchema } from "../products/contract";
import { provenCriterionSchema } from "../proof/contract";
import { reviewTimesSchema } from "../reviews/contract";
import { sprintStatusSchema, taskStatusSchema } from "../status";
import { storySchema } from "../stories/contract";
import { taskSchema } from "../tasks/contract";
import { cursorSchema, dateSchema, idSchema, limitInQuery, text } from "../text";

/** A sprint (specification: Sprint). */
export const sprintSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  code: z.string(),
  sprint_goal: z.string(),
  status: sprintStatusSchema,
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  created_at: z.string(),
  ...shownVersion,
});
export type Sprint = z.infer<typeof sprintSchema>;

/** A sprint in its product's list, with its progress. */
export const sprintOverviewSchema = sprintSchema.extend({
  story_count: z.int(),
  done_story_count: z.int(),
  task_count: z.int(),
  done_task_count: z.int(),
});
export type SprintOverview = z.infer<typeof sprintOverviewSchema>;

export const sprintBoardSchema = z.object({
  sprint: sprintSchema,
  stories: z.array(storySchema.extend({ pbi_code: z.string(), assignee_username: z.string().nullable() })),
  tasks: z.array(taskSchema.extend({ story_code: z.string(), has_plan: z.boolean() })),
});

/** A sprint as an agent reads it, paged with a cursor. */
export const sprintContextSchema = z.object({
  product: productSchema,
  sprint: sprintSchema,
  stories: z.array(
    nextStorySchema.extend({ priority: z.int(), sort_order: z.number(), assignee_id: z.string().nullable() }),
  ),
  next_cursor: z.string().nullable(),
});

export const sprintTaskSchema = z.object({
  id: z.string(),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  implementation_plan: z.string().nullable(),
  story_id: z.string(),
  story_code: z.string(),
  priority: z.int(),
  sort_order: z.number(),
  status: taskStatusSchema,
});

export const sprintTasksQuery = z.object({ limit: limitInQuery(sprintTasksLimit) });

export const listSprintTasksInput = z.object({
  sprint_id: idSchema,
  limit: z.int().min(1).max(sprintTasksLimit.max).optional(),
});

const sprintFields = {
  sprint_goal: text(lengths.sprintGoal),
  start_date: dateSchema.nullable(),
  end_date: dateSchema.nullable(),
};

type SprintDates = { start_date?: string | null | undefined; end_date?: string | null | undefined };

function datesInOrder({ start_date, end_date }: SprintDates): boolean {
  return !start_date || !end_date || end_date >= start_date;
}

const datesOutOfOrder = { path: ["end_date"], message: "Must be on or after the start date." };

export const createSprintInput = z
  .object({ product_id: idSchema, ...sprintFields })
  .partial()
  .required({ product_id: true })
  .refine(datesInOrder, datesOutOfOrder);

export const createSprintWithInput = createSprintInput.safeExtend({ story_ids: z.array(idSchema).max(500).optional() });

export const updateSprintInput = z
  .object(sprintFields)
  .partial()
  .extend({ sprint_id: idSchema, ...expectedVersion })
  .refine(datesInOrder, datesOutOfOrder);

export const sprintIdInput = z.object({ sprint_id: idSchema });

export const completeSprintInput = sprintIdInput.extend({ carry_over: z.boolean().optional() });

export const getSprintContextInput = z.object({
  sprint_id: idSchema,
  limit: z.int().min(1).max(50).optional(),
  cursor: cursorSchema.optional(),
});

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
  returns: z.array(z.object({ cause: z.enum(returnCauses), tasks: z.int(), times: z.int() })),
  waits: z.array(z.object({ reason: z.enum(["question", "review"]), times: z.int(), seconds: z.number() })),
  /** Tasks with an estimate that agents finished. */
  estimates: z.object({ tasks: z.int(), estimated_minutes: z.number(), actual_minutes: z.number() }),
  /** Accepted while the sprint ran. */
  lessons: z.array(z.string()),
});
export type Retrospective = z.infer<typeof retrospectiveSchema>;

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
  failed_jobs: z.array(z.object({ id, task_code: z.string(), task_title: z.string(), reason: z.string().nullable() })),
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
