import { z } from "zod";
import { lengths } from "~/contract/limits";
import { idSchema, text } from "~/contract/text";
import {
  attemptInput,
  sha,
  taskExecutionStatuses,
  verifyResultInput,
  verifyResults,
} from "~/nouns/agent-jobs/contract";
import { released } from "~/nouns/dependencies/contract";
import { verifyRequirements } from "~/nouns/tasks/contract";

/** One task of a batch run (specification: Sprint run, sprint task execution). */
export const taskExecutionSchema = z.object({
  id: z.string(),
  sprint_run_id: z.string(),
  task_id: z.string(),
  task_code: z.string(),
  task_title: z.string(),
  story_id: z.string(),
  story_code: z.string(),
  position: z.int(),
  status: z.enum(taskExecutionStatuses),
  plan_snapshot: z.string().nullable(),
  verify_required: z.enum(verifyRequirements),
  verify_result: z.enum(verifyResults).nullable(),
  verify_only: z.boolean(),
  failure_reason: z.string().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  created_at: z.string(),
});
export type TaskExecution = z.infer<typeof taskExecutionSchema>;

/** Answer to the end of an execution. */
export const endedExecutionSchema = taskExecutionSchema.extend(released);

export const verifyTaskAgainstPlanInput = attemptInput.extend({
  verify_result: verifyResultInput,
  changed_files: z.array(text(1000)).max(5000).optional(),
  evidence: z.record(z.string(), z.unknown()).optional(),
  base_sha: sha,
  head_sha: sha,
});

export const verifySprintTaskInput = verifyTaskAgainstPlanInput.extend({ task_id: idSchema });

export const verificationSchema = z.object({
  job_id: z.string(),
  task_id: z.string(),
  task_code: z.string(),
  execution_id: z.string().nullable(),
  verify_result: z.enum(verifyResults),
  verify_required: z.enum(verifyRequirements),
  verify_only: z.boolean(),
  passes: z.boolean(),
  report: z.enum(["done", "skipped"]).nullable(),
  plan: z.string().nullable(),
  hint: z.string(),
  /** Criteria that the product requires proof of and that are unproven. */
  missing: z.array(z.object({ path: z.string(), story_id: z.string(), message: z.string() })),
});

export const updateTaskExecutionInput = attemptInput.extend({
  task_id: idSchema,
  status: z.enum(["running", "done", "failed", "skipped"]),
  verify_result: verifyResultInput,
  failure_reason: text(4000).optional(),
  /** Head of the batch's branch with this task's work. */
  head_sha: sha,
  /** Plan that the agent wrote, if the task had none. */
  implementation_plan: text(lengths.text).optional(),
});
