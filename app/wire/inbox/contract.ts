import { z } from "zod";
import { lessonEffect, returnCauses } from "../lessons/contract";
import { memberRoles } from "../products/contract";
import { agentQuestionPageSchema, agentQuestionSchema, agentQuestionStatuses } from "../questions/contract";
import { waitingReviewSchema } from "../reviews/contract";
import { cursorSchema, idSchema } from "../text";

export const inboxKinds = [
  "question",
  "review",
  "run",
  "job",
  "added",
  "mention",
  "triage",
  "invitation",
  "lesson",
] as const;
export const inboxStates = ["open", "later", "done"] as const;

const frame = {
  id: z.string(),
  product_id: z.string(),
  product_name: z.string(),
  at: z.string(),
  state: z.enum(inboxStates),
  later_until: z.string().nullable(),
};
const nullableText = z.string().nullable();
const about = { code: z.string(), title: z.string() };

/** One item that waits for a person. `id` is that of the question, task, run, job, product, invitation or comment. */
export const inboxItemSchema = z.discriminatedUnion("kind", [
  z.object({ ...frame, kind: z.literal("question"), question: agentQuestionSchema, criteria: z.array(z.string()) }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("review"),
    story_code: z.string(),
    story_title: z.string(),
    /** The job that waits for a verdict; null if a person moved the task to review. */
    job_id: nullableText,
    /** The same as in the queue of reviews; null for work that no agent did, or that waits for CI. */
    review: waitingReviewSchema.nullable().default(null),
  }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("run"),
    sprint_id: z.string().nullable(),
    /** Number of failed tasks, and of tasks blocked by them. */
    failed: z.int(),
    waiting: z.int(),
    reason: nullableText,
    task_id: nullableText,
    task_code: nullableText,
  }),
  z.object({ ...frame, ...about, kind: z.literal("job"), reason: nullableText, idea_id: z.string() }),
  z.object({ ...frame, ...about, kind: z.literal("added"), owner_name: nullableText }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("triage"),
    waiting: z.int(),
    /** Title of the newest story in triage. */
    newest: z.string(),
  }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("invitation"),
    invited_by: nullableText,
    expires_at: z.string(),
    role: z.enum(memberRoles),
  }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("lesson"),
    text: z.string(),
    cause: z.enum(returnCauses),
    /** It is in force without effect; else it waits to be accepted. */
    proposes_end: z.boolean(),
    job_id: nullableText,
    task_code: nullableText,
    ...lessonEffect,
  }),
  z.object({
    ...frame,
    ...about,
    kind: z.literal("mention"),
    author: z.string(),
    excerpt: z.string(),
    /** Path of the page with the comment. */
    path: z.string(),
  }),
]);
export type InboxItem = z.infer<typeof inboxItemSchema>;

export const inboxSchema = z.object({
  items: z.array(inboxItemSchema),
  counts: z.partialRecord(z.enum(inboxKinds), z.int()),
  /** Open questions about a conflict, a paused run or a failure. */
  stopped: z.int(),
  later: z.int(),
  /** Questions of the state that was asked for, in pages. */
  asked: agentQuestionPageSchema.nullable().default(null),
});
export type Inbox = z.infer<typeof inboxSchema>;

export const getInboxInput = z
  .object({
    state: z.enum(inboxStates),
    kinds: z.array(z.enum(inboxKinds)).readonly(),
    asked: z.enum(agentQuestionStatuses),
    cursor: cursorSchema,
  })
  .partial();
export type GetInboxInput = z.infer<typeof getInboxInput>;

/** `later` without `until` snoozes until tomorrow morning. */
export const markInboxItemInput = z.object({
  kind: z.enum(inboxKinds),
  item_id: idSchema,
  mark: z.enum(inboxStates),
  until: z.iso.datetime({ offset: true }).optional(),
});

/** With `undo`, the time that the answer named, the items return. */
export const archiveInboxInput = z.object({ product_id: idSchema, undo: z.iso.datetime({ offset: true }).optional() });

export const archivedInboxSchema = z.object({ count: z.int(), marked_at: z.string() });
