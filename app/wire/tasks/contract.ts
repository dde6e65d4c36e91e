import { z } from "zod";
import { expectedVersion, shownVersion } from "../concurrency";
import { blockedBySchema, released } from "../dependencies/contract";
import { labelNamesSchema, shownLabels } from "../labels/contract";
import { lengths } from "../limits";
import { taskStatusSchema } from "../status";
import { codeSchema, idSchema, prioritySchema, repositoryUrlSchema, requiredText, text } from "../text";
import { shownWho, whoFields } from "../who";

/** Which verification results let a task pass (specification: Task). */
export const verifyRequirements = ["ALIGNED", "ALIGNED_OR_PARTIAL", "ANY"] as const;

/** A task in a backlog (specification: Task). */
export const taskSchema = z.object({
  id: z.string(),
  story_id: z.string(),
  product_id: z.string(),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  priority: z.int(),
  sort_order: z.number(),
  status: taskStatusSchema,
  repo_url: z.string().nullable(),
  verify_only: z.boolean(),
  verify_required: z.enum(verifyRequirements),
  created_at: z.string(),
  ...shownLabels,
  ...shownVersion,
});
export type Task = z.infer<typeof taskSchema>;

export const movedTaskSchema = taskSchema.extend(released);

/** GET /api/tasks/:id: the backlog's fields, more of them and `_detail`. */
export const taskDetailSchema = taskSchema.extend({
  _detail: z.literal(true),
  implementation_plan: z.string().nullable(),
  acceptance_criteria: z.string(),
  requires_opus: z.boolean(),
  estimated_minutes: z.int().nullable(),
  ...shownWho,
});

export const editedTaskSchema = taskDetailSchema.extend(released);

export const updatedTaskSchema = z.object({
  id: z.string(),
  status: taskStatusSchema,
  implementation_plan: z.string().nullable(),
  ...shownLabels,
  ...released,
  ...shownVersion,
});

/** What agents set. Review is only for products where a person or CI decides what is done. */
export const settableStatus = z.enum(["todo", "in_progress", "review", "done"]);

/** Body of PATCH /api/tasks/:id. Verify fields need a status or a plan with them. */
export const updateTaskBody = z
  .object({
    status: settableStatus.optional(),
    implementation_plan: text(lengths.text).optional(),
    verify_only: z.boolean().optional(),
    verify_required: z.enum(verifyRequirements).optional(),
    labels: labelNamesSchema.optional(),
    ...z.object(whoFields).partial().shape,
  })
  .refine(
    ({ status, implementation_plan, verify_only, verify_required, ...others }) =>
      [status, implementation_plan].some((given) => given !== undefined) ||
      ([verify_only, verify_required].every((given) => given === undefined) &&
        Object.values(others).some((given) => given !== undefined)),
    { message: "Send status or implementation_plan, or only agent, model, effort or labels." },
  );

export const updateTaskInput = updateTaskBody.safeExtend({ task_id: idSchema, ...expectedVersion });

const taskFields = {
  title: requiredText(lengths.title),
  description: text(lengths.text),
  code: codeSchema,
  implementation_plan: text(lengths.text).nullable(),
  priority: prioritySchema,
  repo_url: repositoryUrlSchema.nullable(),
  verify_only: z.boolean(),
  verify_required: z.enum(verifyRequirements),
  requires_opus: z.boolean(),
  estimated_minutes: z.int().min(0).max(1_000_000).nullable(),
  ...whoFields,
  labels: labelNamesSchema,
};

export const createTaskInput = z
  .object({ story_id: idSchema, ...taskFields, blocked_by: blockedBySchema })
  .partial()
  .required({ story_id: true, title: true });

/** People can edit every field. Null clears the plan, the repository, the estimate and who does it. */
export const editTaskInput = z
  .object({ ...taskFields, status: taskStatusSchema })
  .partial()
  .extend({ task_id: idSchema, ...expectedVersion });

export const moveTaskInput = z.object({ task_id: idSchema, story_id: idSchema });

/** A board move: any status, including review and failed. */
export const setTaskStatusInput = z.object({
  task_id: idSchema,
  status: taskStatusSchema,
  /** Starts the task although it is blocked. */
  confirmed: z.boolean().optional(),
});

export const taskIdInput = z.object({ task_id: idSchema });
