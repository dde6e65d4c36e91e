import { z } from "zod";
import { lengths, readyLimit } from "../limits";
import { taskStatusSchema } from "../status";
import { idSchema, limitInQuery, requiredText, text } from "../text";

/** Kinds that can block each other: tasks block tasks, stories block stories. */
export const dependencyKinds = ["task", "story"] as const;
export type DependencyKind = (typeof dependencyKinds)[number];

const blockerReference = requiredText(100);

/** The other end of a dependency. Only status done resolves it. */
const dependencyEndSchema = z.object({
  id: z.string(),
  code: z.string(),
  title: z.string(),
  status: z.string(),
  resolved: z.boolean(),
});

/** Work that is done but still blocks, because its code is not on the main branch yet. */
const awaitedWorkSchema = z.object({
  job_id: z.string(),
  task_code: z.string(),
  branch: z.string().nullable(),
  head_sha: z.string().nullable(),
});
export type AwaitedWork = z.infer<typeof awaitedWorkSchema>;

/** Blockers of a task or story, and what it blocks. `awaited` is absent if no code is awaited. */
export const dependenciesSchema = z.object({
  blocked_by: z.array(dependencyEndSchema),
  blocks: z.array(dependencyEndSchema),
  awaited: z.array(awaitedWorkSchema).optional(),
});
export type Dependencies = z.infer<typeof dependenciesSchema>;

/** Body of POST /api/tasks/:id/dependencies and /api/stories/:id/dependencies. */
export const addDependencyBody = z.object({ blocked_by: blockerReference });

export const blockedBySchema = z.array(blockerReference).max(100);

export const addDependencyInput = z.object({
  kind: z.enum(dependencyKinds),
  id: idSchema,
  blocked_by: blockerReference,
});

export const removeDependencyInput = z.object({ kind: z.enum(dependencyKinds), id: idSchema, blocker: z.string() });

export const listDependenciesInput = z.object({ kind: z.enum(dependencyKinds), id: idSchema });

/** A task that nothing blocks. `dispatchable`: in the active sprint and with a plan. */
export const readyTaskSchema = z.object({
  id: z.string(),
  code: z.string(),
  title: z.string(),
  status: taskStatusSchema,
  priority: z.int(),
  story_id: z.string(),
  story_code: z.string(),
  blocked_by: z.array(z.string()),
  frees: z.int(),
  dispatchable: z.boolean(),
});

/** Query of GET /api/products/:id/ready. */
export const readyQuery = z.object({ limit: limitInQuery(readyLimit) });

export const listReadyInput = readyQuery.extend({ product_id: idSchema });

/** Finds possible blockers of a task or story, nearest first. With a query: those whose code or title matches. */
export const listCandidatesInput = z.object({
  kind: z.enum(dependencyKinds),
  id: idSchema,
  query: text(lengths.searchQuery).optional(),
});

export const candidatesSchema = z.array(dependencyEndSchema.omit({ resolved: true }));
export type Candidates = z.infer<typeof candidatesSchema>;

/** Jobs of a run in order. Jobs of one branch queue (`lane`) run one after another, queues in parallel. */
export const runOrderSchema = z.array(
  z.object({
    job_id: z.string(),
    lane: z.string(),
    blocked_by: z.array(z.object({ id: z.string(), code: z.string(), resolved: z.boolean() })),
  }),
);
export type RunOrder = z.infer<typeof runOrderSchema>;

/** Codes of tasks that this call unblocked; absent if there are none. */
export const released = { released: z.array(z.string()).optional() };

/** Returns the end of a message that says which tasks can start now; empty if none were unblocked. */
export function releasedWords(codes: readonly string[] | undefined): string {
  if (!codes || codes.length === 0) return "";
  const shown = codes.slice(0, 3).join(", ");
  const more = codes.length > 3 ? ` and ${codes.length - 3} more` : "";
  return `. ${shown}${more} can start now`;
}
