import { z } from "zod";
import { lengths, readyLimit } from "./limits";
import { taskStatusSchema } from "./status";
import { idSchema, limitInQuery, requiredText, text } from "./text";

/** What can wait for each other: tasks for tasks, stories for stories. */
export const dependencyKinds = ["task", "story"] as const;
export type DependencyKind = (typeof dependencyKinds)[number];

/** An id or a code of the same product. */
const blockerReference = requiredText(100);

/** The other end of a dependency; only done resolves it. */
export const dependencyEndSchema = z.object({
  id: z.string(),
  code: z.string(),
  title: z.string(),
  status: z.string(),
  resolved: z.boolean(),
});

/** Work that is done and waited for, because its code is not on the main branch yet. */
const awaitedWorkSchema = z.object({
  job_id: z.string(),
  task_code: z.string(),
  branch: z.string().nullable(),
  head_sha: z.string().nullable(),
});
export type AwaitedWork = z.infer<typeof awaitedWorkSchema>;

/** What a task or story waits for, and what waits for it; absent `awaited` where no code is waited for. */
export const dependenciesSchema = z.object({
  blocked_by: z.array(dependencyEndSchema),
  blocks: z.array(dependencyEndSchema),
  awaited: z.array(awaitedWorkSchema).optional(),
});
export type Dependencies = z.infer<typeof dependenciesSchema>;

/** Body of POST /api/tasks/:id/dependencies and /api/stories/:id/dependencies. */
export const addDependencyBody = z.object({ blocked_by: blockerReference });

/** What something new waits for from the beginning. */
export const blockedBySchema = z.array(blockerReference).max(100);

export const addDependencyInput = z.object({
  kind: z.enum(dependencyKinds),
  id: idSchema,
  blocked_by: blockerReference,
});

export const removeDependencyInput = z.object({
  kind: z.enum(dependencyKinds),
  id: idSchema,
  blocker: z.string(),
});

/** Whose dependencies. */
export const listDependenciesInput = z.object({ kind: z.enum(dependencyKinds), id: idSchema });

/** A task that waits for nothing. `dispatchable`: in the active sprint and with a plan. */
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

/** What a task or story could wait for, nearest first; with words, what matches them. */
export const listCandidatesInput = z.object({
  kind: z.enum(dependencyKinds),
  id: idSchema,
  query: text(lengths.searchQuery).optional(),
});

export const candidatesSchema = z.array(dependencyEndSchema.omit({ resolved: true }));
export type Candidates = z.infer<typeof candidatesSchema>;

/** The jobs of a run in its order: jobs of one lane come one after another, the others side by side. */
export const runOrderSchema = z.array(
  z.object({
    job_id: z.string(),
    lane: z.string(),
    blocked_by: z.array(z.object({ id: z.string(), code: z.string(), resolved: z.boolean() })),
  }),
);
export type RunOrder = z.infer<typeof runOrderSchema>;

/** Codes of tasks that wait for nothing since this answer; absent where there are none. */
export const released = { released: z.array(z.string()).optional() };
