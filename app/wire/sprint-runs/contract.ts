import { z } from "zod";
import { beginningSchema } from "../agent-jobs/beginning";
import * as agentJobs from "../agent-jobs/contract";
import { ceilingSchema, stopAtSchema } from "../budgets/contract";
import { dependencyKinds, released } from "../dependencies/contract";
import { lengths } from "../limits";
import { planFirstChoices, planReviewers, prStrategies } from "../products/contract";
import { agentQuestionSchema } from "../questions/contract";
import { verifyRequirements } from "../tasks/contract";
import { attemptSchema, cursorSchema, httpUrlSchema, idSchema, requiredText, text } from "../text";

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
  status: z.enum(agentJobs.taskExecutionStatuses),
  plan_snapshot: z.string().nullable(),
  verify_required: z.enum(verifyRequirements),
  verify_result: z.enum(agentJobs.verifyResults).nullable(),
  verify_only: z.boolean(),
  failure_reason: z.string().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  created_at: z.string(),
});
export type TaskExecution = z.infer<typeof taskExecutionSchema>;

export const endedExecutionSchema = taskExecutionSchema.extend(released);

export const verifyTaskAgainstPlanInput = agentJobs.attemptInput.extend({
  verify_result: agentJobs.verifyResultInput,
  changed_files: z.array(text(1000)).max(5000).optional(),
  evidence: z.record(z.string(), z.unknown()).optional(),
  base_sha: agentJobs.sha,
  head_sha: agentJobs.sha,
});

export const verifySprintTaskInput = verifyTaskAgainstPlanInput.extend({ task_id: idSchema });

export const verificationSchema = z.object({
  job_id: z.string(),
  task_id: z.string(),
  task_code: z.string(),
  execution_id: z.string().nullable(),
  verify_result: z.enum(agentJobs.verifyResults),
  verify_required: z.enum(verifyRequirements),
  verify_only: z.boolean(),
  passes: z.boolean(),
  report: z.enum(["done", "skipped"]).nullable(),
  plan: z.string().nullable(),
  hint: z.string(),
  /** Criteria that the product requires proof of and that are unproven. */
  missing: z.array(z.object({ path: z.string(), story_id: z.string(), message: z.string() })),
});

export const updateTaskExecutionInput = agentJobs.attemptInput.extend({
  task_id: idSchema,
  status: z.enum(["running", "done", "failed", "skipped"]),
  verify_result: agentJobs.verifyResultInput,
  failure_reason: text(4000).optional(),
  /** Head of the batch's branch with this task's work. */
  head_sha: agentJobs.sha,
  /** Plan that the agent wrote, if the task had none. */
  implementation_plan: text(lengths.text).optional(),
});

export const sprintRunStatuses = ["queued", "running", "paused", "done", "failed", "cancelled"] as const;

export const sprintRunStatusSchema = z.enum(sprintRunStatuses);

/** What can prevent the start of a run (specification: Starting a sprint run 1). */
export const blockerTypes = [
  "sprint_not_active",
  "no_tasks",
  "only_reviews",
  "run_unfinished",
  "task_in_run",
  "task_done",
  "task_in_review",
  "task_no_plan",
  "open_question",
  "pbi_blocked",
  "pbi_failed",
  "task_cross_repo",
  "dependency_outside",
  "dependency_failed",
  "dependency_deadlock",
] as const;

/** One blocker of a start: a sentence, and the ids and codes a page needs to link to it. */
export const blockerSchema = z.object({
  type: z.enum(blockerTypes),
  message: z.string(),
  task_id: z.string().nullable(),
  task_code: z.string().nullable(),
  story_id: z.string().nullable(),
  story_code: z.string().nullable(),
  pbi_id: z.string().nullable(),
  pbi_code: z.string().nullable(),
  question_id: z.string().nullable(),
  sprint_run_id: z.string().nullable(),
  /** For dependency_outside, _failed and _deadlock: the dependency, and the story to add to the sprint as a remedy. */
  dependency: z
    .object({
      kind: z.enum(dependencyKinds),
      id: z.string(),
      code: z.string(),
      blocker_id: z.string(),
      blocker_code: z.string(),
      joining_story_id: z.string().nullable(),
      joining_story_code: z.string().nullable(),
    })
    .optional(),
});
export type Blocker = z.infer<typeof blockerSchema>;

export const blockersDetailSchema = z.object({ blockers: z.array(blockerSchema) });

export const preflightSchema = z.object({
  sprint_id: z.string(),
  sprint_code: z.string(),
  pr_strategy: z.enum(prStrategies),
  /** Whether agents of the product write missing plans. */
  plan_first: z.enum(planFirstChoices),
  ready: z.boolean(),
  tasks_total: z.int(),
  jobs_total: z.int(),
  /** Open stories of the sprint that no agent can work on, because they have no task. */
  stories_without_tasks: z.int(),
  blockers: z.array(blockerSchema),
  /** Work for its stories that is not on main yet. The run continues it. */
  begins_from: z.array(beginningSchema),
  /** Warnings that do not prevent the start: budgets that are probably too small. */
  warnings: z.array(z.object({ type: z.literal("budget"), message: z.string(), budget_id: z.string() })),
});
export type Preflight = z.infer<typeof preflightSchema>;

/** Why a run is paused (specification: Sprint run, pause_context). */
export const pauseContextSchema = z.object({
  reason: z.string(),
  pr_url: z.string().nullable(),
  conflict_files: z.array(z.string()),
  /** Codes of the conflicting tasks, first the one that tried to merge. */
  tasks: z.array(z.string()).optional(),
  /** With reason `budget`: the budget, and the amount its button adds (`raise_by`). */
  budget_id: z.string().optional(),
  unit: z.string().optional(),
  amount: z.number().optional(),
  spent: z.number().optional(),
  raise_by: z.number().optional(),
});

/** What a run waits for from people; null unless it waits for nothing else. */
export const runWaitsSchema = z.object({ reviews: z.int(), answers: z.int() }).nullable();
export type RunWaits = z.infer<typeof runWaitsSchema>;

export const runFailureSchema = z.object({
  task_id: z.string().nullable(),
  task_code: z.string().nullable(),
  job_id: z.string().nullable(),
  failure_class: z.string().nullable(),
  reason: z.string().nullable(),
});

/** A run with counts, tokens and cost (specification: Sprint run). A run of chosen tasks has no sprint. */
export const sprintRunSchema = z.object({
  id: z.string(),
  sprint_id: z.string().nullable(),
  sprint_code: z.string().nullable(),
  /** What the run works on: "sprint SP-1", "T-3", "ST-001", "T-3 and 2 more". */
  subject: z.string(),
  product_id: z.string(),
  status: sprintRunStatusSchema,
  waits_for: runWaitsSchema,
  pr_strategy: z.enum(prStrategies),
  branch: z.string(),
  pause_context: pauseContextSchema.nullable(),
  pause_question_id: z.string().nullable(),
  previous_run_id: z.string().nullable(),
  started_by: z.string().nullable(),
  started_by_name: z.string().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  failure: runFailureSchema.nullable(),
  /** Its agents write missing plans before they start. */
  plan_first: z.boolean(),
  /** Who approves these plans before the work begins. */
  plan_review: z.enum(planReviewers),
  created_at: z.string(),
  updated_at: z.string(),
  jobs_total: z.int(),
  counts: z.object({
    queued: z.int(),
    claimed: z.int(),
    running: z.int(),
    done: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    skipped: z.int(),
  }),
  ...agentJobs.usageSchema.shape,
  costs: agentJobs.costsSchema,
  /** The cost if there is exactly one currency. */
  cost: z.number().nullable(),
});
export type SprintRun = z.infer<typeof sprintRunSchema>;

export const sprintRunDetailSchema = sprintRunSchema.extend({
  jobs: z.array(agentJobs.agentJobSchema),
  executions: z.array(taskExecutionSchema),
  /** Pairs of tasks that are changing the same file. */
  overlaps: z.array(
    z.object({
      tasks: z.array(z.object({ id: z.string(), code: z.string() })),
      files: z.array(z.string()),
      files_total: z.int(),
    }),
  ),
  pause_question: agentQuestionSchema.nullable(),
});
export type SprintRunDetail = z.infer<typeof sprintRunDetailSchema>;

export const sprintRunPageSchema = z.object({ runs: z.array(sprintRunSchema), next_cursor: z.string().nullable() });

/** Options of a start that remove blockers. */
const cures = {
  plan_first: z.boolean().optional().describe("Agents write missing plans first"),
  use_description: z.boolean().optional().describe("Use descriptions as missing plans"),
  leave_out: z.boolean().optional().describe("Start with the tasks that are ready"),
};

const planReviewInput = z.enum(planReviewers).optional().describe("person: approves each plan before the work begins");

const ceilingInput = ceilingSchema.optional().describe("Budget of each task");

/** What the form of a start says of plans, without which the product decides, and of the ceiling: `5 USD`. */
export const startForm = z.object({
  plan_review: planReviewInput,
  ceiling: z
    .string()
    .regex(/^[\d.]{1,20} (tokens|[A-Z]{3})$/, "Must be an amount and its unit.")
    .transform((text) => {
      const [amount, unit = ""] = text.split(" ");
      return unit === "tokens" ? { tokens: Number(amount) } : { amount: Number(amount), currency: unit };
    })
    .optional(),
});

const leftOutSchema = z.object({
  task_id: z.string(),
  task_code: z.string(),
  /** Type and message of the blocker that keeps it out. */
  type: z.enum(blockerTypes),
  reason: z.string(),
});

/** `stop_at` is for people: a run started with an API token cannot have a run budget. */
export const sprintToRunInput = z.object({
  sprint_id: idSchema,
  stop_at: stopAtSchema.optional(),
  plan_review: planReviewInput,
  ceiling: ceilingInput,
  ...cures,
});

export const resumeSprintInput = z.object({
  sprint_id: idSchema,
  skip_failed: z.boolean().optional().describe("Skip the failed tasks and what they block"),
  ...cures,
});

/** A started sprint run. With `leave_out`, `left_out` lists the tasks it leaves out. */
export const startedSprintRunSchema = sprintRunSchema.extend({ left_out: z.array(leftOutSchema).optional() });

/** Starts a run without a sprint: of listed tasks, or of a story's remaining tasks. */
export const startRunInput = z.object({
  task_ids: z.array(idSchema).min(1).max(500).optional(),
  story_id: idSchema.optional(),
  strategy: z.enum(prStrategies).optional(),
  stop_at: stopAtSchema.optional(),
  plan_review: planReviewInput,
  ceiling: ceilingInput,
  ...cures,
});

export const startedRunSchema = z.object({ run: sprintRunSchema, left_out: z.array(leftOutSchema) });
export type StartedRun = z.infer<typeof startedRunSchema>;

export const sprintRunIdInput = z.object({ sprint_run_id: idSchema });

export const listSprintRunsInput = z.object({
  product_id: idSchema,
  sprint_id: idSchema.optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: cursorSchema.optional(),
});

/** Workers send their job and attempt; `release` also returns the job to the queue. */
export const pauseSprintRunInput = z.object({
  sprint_run_id: idSchema,
  reason: requiredText(500).optional(),
  pr_url: httpUrlSchema.optional(),
  conflict_files: z.array(text(1_000)).max(500).optional(),
  job_id: idSchema.optional(),
  attempt: attemptSchema.optional(),
  release: z.boolean().optional(),
});
