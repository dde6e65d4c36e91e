import { z } from "zod";
import { expectedVersion, shownVersion } from "../concurrency";
import { blockedBySchema } from "../dependencies/contract";
import { labelNamesSchema, shownLabels } from "../labels/contract";
import { lengths, storyLogMetadata } from "../limits";
import { sprintStatusSchema, storyStatusSchema } from "../status";
import { taskDetailSchema } from "../tasks/contract";
import { codeSchema, idSchema, isStorable, prioritySchema, requiredText, text } from "../text";
import { shownWho, whoFields } from "../who";

const storyLogTypes = ["IMPLEMENTATION_PLAN", "TEST_RESULT", "COMMIT"] as const;
const storyLogStatuses = ["PASSED", "FAILED"] as const;

/** An entry of a story's log (specification: Story log entry). */
export const storyLogSchema = z.object({
  id: z.string(),
  story_id: z.string(),
  type: z.enum(storyLogTypes),
  content: z.string(),
  status: z.enum(storyLogStatuses).nullable(),
  commit_hash: z.string().nullable(),
  commit_message: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  user_id: z.string().nullable(),
  username: z.string().nullable(),
  job_id: z.string().nullable(),
  created_at: z.string(),
});

const storyLogPageSchema = z.object({ items: z.array(storyLogSchema), next_cursor: z.string().nullable() });

export const storyLogReceiptSchema = z.object({ id: z.string(), created_at: z.string() });

/** Free-form JSON object, stored as sent. Limited in bytes and depth; texts must be storable and numbers finite. */
export const metadataSchema = z
  .unknown()
  .superRefine((value, context) => {
    const problem = findMetadataProblem(value);
    if (problem) context.addIssue({ code: "custom", message: problem });
  })
  .meta({ type: "object" });

function findMetadataProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "Must be a JSON object.";
  const problem = findNestedProblem(value);
  if (problem) return problem;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > storyLogMetadata.bytes ? "Must have at most 64 KiB of JSON." : undefined;
}

/** Iterative, so that deep nesting cannot exhaust the stack. */
function findNestedProblem(root: object): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (depth > storyLogMetadata.depth + 1) return `Must not nest deeper than ${storyLogMetadata.depth} levels.`;
    if (typeof value === "number" && !Number.isFinite(value)) return "Numbers must be finite.";
    if (typeof value === "string" && !isStorable(value)) return "Must not contain NUL characters or broken Unicode.";
    if (typeof value !== "object" || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!isStorable(key)) return "Must not contain NUL characters or broken Unicode.";
      open.push({ value: member, depth: depth + 1 });
    }
  }
}

const content = requiredText(lengths.text);
const refused = z.never("This field belongs to another type of entry.").optional();

/** Body of POST /api/stories/:id/log. Fields of other types are refused. */
export const storyLogBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("IMPLEMENTATION_PLAN"),
    content,
    status: refused,
    commit_hash: refused,
    commit_message: refused,
    metadata: metadataSchema.optional(),
  }),
  z.object({
    type: z.literal("TEST_RESULT"),
    content,
    status: z.enum(storyLogStatuses),
    commit_hash: refused,
    commit_message: refused,
    metadata: metadataSchema.optional(),
  }),
  z.object({
    type: z.literal("COMMIT"),
    content,
    status: refused,
    commit_hash: requiredText(lengths.commitHash),
    commit_message: requiredText(lengths.text),
    metadata: metadataSchema.optional(),
  }),
]);

/** Fields of all types together, for the operation. */
export const appendStoryLogInput = z.object({
  story_id: idSchema,
  type: z.enum(storyLogTypes),
  content,
  status: z.enum(storyLogStatuses).optional(),
  commit_hash: z.string().optional(),
  commit_message: z.string().optional(),
  metadata: metadataSchema.optional(),
});

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
    .object({ id: z.string(), code: z.string(), sprint_goal: z.string(), status: sprintStatusSchema })
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
export const assignStoryInput = z.object({ story_id: idSchema, assignee_id: idSchema.nullable().default(null) });

export const addStoryToSprintInput = z.object({ sprint_id: idSchema, story_id: idSchema });

export const storyIdInput = z.object({ story_id: idSchema });

const placeSchema = z.object({ id: z.string(), code: z.string(), title: z.string() });

/** Stories in a product's triage, PBIs that can take them, and stories to merge them into. */
export const triageSchema = z.object({
  stories: z.array(
    storySchema.extend({
      origin: z.enum(["hook", "forge"]).nullable(),
      external_url: z.string().nullable(),
      tasks: z.number(),
    }),
  ),
  pbis: z.array(placeSchema),
  targets: z.array(placeSchema),
});
export type Triage = z.infer<typeof triageSchema>;

export const acceptStoryInput = z.object({ story_id: idSchema, pbi_id: idSchema.optional() });

export const mergeStoryInput = z.object({ story_id: idSchema, into: idSchema });
