import { z } from "zod";
import { expectedVersion, shownVersion } from "~/contract/concurrency";
import { lengths } from "~/contract/limits";
import { sprintStatusSchema, storyStatusSchema } from "~/contract/status";
import { codeSchema, idSchema, prioritySchema, requiredText, text } from "~/contract/text";
import { shownWho, whoFields } from "~/contract/who";
import { blockedBySchema } from "~/nouns/dependencies/contract";
import { labelNamesSchema, shownLabels } from "~/nouns/labels/contract";
import { taskDetailSchema } from "~/nouns/tasks/contract";
import { storyLogPageSchema } from "./story-log";

/** A story in a backlog (specification: Story). */
export const storySchema = z.object({
  id: z.string(),
  product_id: z.string(),
  pbi_id: z.string(),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  acceptance_criteria: z.string(),
  priority: z.int(),
  status: storyStatusSchema,
  sort_order: z.number(),
  sprint_id: z.string().nullable(),
  assignee_id: z.string().nullable(),
  created_at: z.string(),
  ...shownLabels,
  ...shownVersion,
});
export type Story = z.infer<typeof storySchema>;

/** One story, as every answer about it alone. */
export const storyWithWhoSchema = storySchema.extend(shownWho);

/** One story with its PBI, sprint and tasks, and the newest log entries. */
export const storyDetailSchema = storyWithWhoSchema.extend({
  pbi: z.object({ id: z.string(), code: z.string(), title: z.string() }),
  sprint: z
    .object({
      id: z.string(),
      code: z.string(),
      sprint_goal: z.string(),
      status: sprintStatusSchema,
    })
    .nullable(),
  assignee_username: z.string().nullable(),
  tasks: z.array(taskDetailSchema),
  logs: storyLogPageSchema,
});

const storyFields = {
  title: requiredText(lengths.title),
  description: text(lengths.text),
  acceptance_criteria: text(lengths.text),
  code: codeSchema,
  priority: prioritySchema,
  ...whoFields,
  labels: labelNamesSchema,
};

export const createStoryInput = z
  .object({
    pbi_id: idSchema,
    ...storyFields,
    sprint_id: idSchema.nullable(),
    assignee_id: idSchema.nullable(),
    blocked_by: blockedBySchema,
  })
  .partial()
  .required({ pbi_id: true, title: true });

/** A new code sets a new sort_order. `pbi_id` moves the story within its product. */
export const updateStoryInput = z
  .object({ ...storyFields, pbi_id: idSchema })
  .partial()
  .extend({ story_id: idSchema, ...expectedVersion });

/** A missing assignee clears it, because forms omit an emptied choice. */
export const assignStoryInput = z.object({
  story_id: idSchema,
  assignee_id: idSchema.nullable().default(null),
});

export const addStoryToSprintInput = z.object({ sprint_id: idSchema, story_id: idSchema });

export const storyIdInput = z.object({ story_id: idSchema });

const placeSchema = z.object({ id: z.string(), code: z.string(), title: z.string() });

/** Stories in a product's triage, PBIs that can take them, and stories to merge them into. */
export const triageSchema = z.object({
  stories: z.array(
    storySchema.extend({
      origin: z.enum(["hook", "forge"]).nullable(),
      external_url: z.string().nullable(),
    }),
  ),
  pbis: z.array(placeSchema),
  targets: z.array(placeSchema),
});
export type Triage = z.infer<typeof triageSchema>;

export const acceptStoryInput = z.object({ story_id: idSchema, pbi_id: idSchema.optional() });

export const mergeStoryInput = z.object({ story_id: idSchema, into: idSchema });
