import { z } from "zod";
import { expectedVersion, shownVersion } from "~/contract/concurrency";
import { lengths, sprintTasksLimit } from "~/contract/limits";
import { sprintStatusSchema, taskStatusSchema } from "~/contract/status";
import { cursorSchema, dateSchema, idSchema, limitInQuery, text } from "~/contract/text";
import { nextStorySchema, productSchema } from "~/nouns/products/contract";
import { storySchema } from "~/nouns/stories/contract";
import { taskSchema } from "~/nouns/tasks/contract";

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

/** What the sprint board shows. */
export const sprintBoardSchema = z.object({
  sprint: sprintSchema,
  stories: z.array(
    storySchema.extend({ pbi_code: z.string(), assignee_username: z.string().nullable() }),
  ),
  tasks: z.array(taskSchema.extend({ story_code: z.string(), has_plan: z.boolean() })),
});

/** A sprint as an agent reads it, paged with a cursor. */
export const sprintContextSchema = z.object({
  product: productSchema,
  sprint: sprintSchema,
  stories: z.array(
    nextStorySchema.extend({
      priority: z.int(),
      sort_order: z.number(),
      assignee_id: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

/** One row of GET /api/sprints/:id/tasks. */
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

/** Query of GET /api/sprints/:id/tasks. */
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

interface SprintDates {
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
}

function datesInOrder({ start_date, end_date }: SprintDates): boolean {
  return !start_date || !end_date || end_date >= start_date;
}

const datesOutOfOrder = { path: ["end_date"], message: "Must be on or after the start date." };

export const createSprintInput = z
  .object({ product_id: idSchema, ...sprintFields })
  .partial()
  .required({ product_id: true })
  .refine(datesInOrder, datesOutOfOrder);

/** A new sprint and the stories that move into it. */
export const createSprintWithInput = createSprintInput.safeExtend({
  story_ids: z.array(idSchema).max(500).optional(),
});

export const updateSprintInput = z
  .object(sprintFields)
  .partial()
  .extend({ sprint_id: idSchema, ...expectedVersion })
  .refine(datesInOrder, datesOutOfOrder);

export const sprintIdInput = z.object({ sprint_id: idSchema });

export const getSprintContextInput = z.object({
  sprint_id: idSchema,
  limit: z.int().min(1).max(50).optional(),
  cursor: cursorSchema.optional(),
});
