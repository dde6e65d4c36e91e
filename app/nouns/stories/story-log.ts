import { z } from "zod";
import { lengths, storyLogMetadata } from "~/contract/limits";
import { cursorSchema, idSchema, isStorable, requiredText } from "~/contract/text";

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

export const storyLogPageSchema = z.object({
  items: z.array(storyLogSchema),
  next_cursor: z.string().nullable(),
});

/** Answer of POST /api/stories/:id/log. */
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
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "Must be a JSON object.";
  }
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
    if (depth > storyLogMetadata.depth + 1) {
      return `Must not nest deeper than ${storyLogMetadata.depth} levels.`;
    }
    if (typeof value === "number" && !Number.isFinite(value)) return "Numbers must be finite.";
    if (typeof value === "string" && !isStorable(value)) {
      return "Must not contain NUL characters or broken Unicode.";
    }
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

export const listStoryLogsInput = z.object({
  story_id: idSchema,
  limit: z.int().min(1).max(100).optional(),
  cursor: cursorSchema.optional(),
});
