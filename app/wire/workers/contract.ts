import { z } from "zod";
import { claimedBeginningSchema } from "../agent-jobs/beginning";
import * as agentJobs from "../agent-jobs/contract";
import { claimedConflictSchema } from "../agent-jobs/job-conflict";
import { jobAttemptSchema } from "../agent-jobs/job-output";
import { personMessageSchema } from "../comments/contract";
import * as products from "../products/contract";
import { claimedCriterionSchema, findingSchema } from "../proof/contract";
import { agentQuestionSchema, userQuestionStatuses } from "../questions/contract";
import { reviewCommentSchema } from "../reviews/contract";
import { verifyRequirements } from "../tasks/contract";
import { attemptSchema, idSchema, text } from "../text";
import { agentName, efforts, shownWho } from "../who";
import { confinementSchema } from "./confinement";
import { workerName } from "./worker-presence";

/** An agent of a worker; with `models` only those. Below the quota, or until its limit ends, it gets no job. */
const announcedAgentSchema = z
  .object({
    id: agentName,
    models: z.array(text(200)).max(20).optional(),
    quota_pct: z.int().min(0).max(100).optional(),
    limited_until: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ brief: "First choice first" });

export const claimAgentJobInput = z.object({
  worker: workerName,
  product_id: idSchema.optional(),
  sprint_run_id: idSchema.optional(),
  kinds: z.array(z.enum(agentJobs.agentJobKinds)).min(1).optional(),
  hostname: text(255).optional(),
  version: text(50).optional(),
  quota_pct: z.int().min(0).max(100).optional(),
  /** Absent means none. */
  confinement: confinementSchema.optional(),
  /** Task repositories that this worker accepts: addresses, or address prefixes that end in `/`. */
  also_repos: z.array(text(2_000)).max(100).optional(),
  /** Agents that it starts, its own choice first. Without them it gets only jobs that name none. */
  agents: z.array(announcedAgentSchema).max(20).optional(),
});
export type ClaimAgentJobInput = z.infer<typeof claimAgentJobInput>;

const nullableText = z.string().nullable();

/** Everything a worker needs for a job, in one answer. */
export const jobPayloadSchema = z.object({
  /** Trap: the worker uses ids as folder and file names, so they must match `idSchema`. */
  id: idSchema,
  kind: z.enum(agentJobs.agentJobKinds),
  status: agentJobs.agentJobStatusSchema,
  attempt: attemptSchema,
  retry_count: z.int(),
  previous_failure: nullableText,
  /** Up to three failed or cancelled jobs for the same work, newest first. */
  earlier_jobs: z.array(idSchema),
  phase: z.enum(agentJobs.jobPhases),
  /** True if the agent must write the missing plan first. Older services omit this. */
  plan_first: z.boolean().optional(),
  /** person: the plan is handed in and ends the attempt; the job returns with the verdict. Older services omit this. */
  plan_review: z.enum(products.planReviewers).optional(),
  done_requires: z.enum(products.doneRequirements),
  /** Criteria of the story, or of all stories of a batch. */
  criteria: z.array(claimedCriterionSchema),
  findings: z.array(findingSchema),
  /** What the team has learned and accepted; absent without any. */
  lessons: z.array(z.string()).optional(),
  /** The newest review: its summary, then comments on lines. */
  review: z.array(reviewCommentSchema),
  earlier_attempts: z.array(
    jobAttemptSchema
      .pick({
        attempt: true,
        outcome: true,
        worker_id: true,
        worker_name: true,
        agent: true,
        session_id: true,
        kept_ref: true,
        head_sha: true,
        ended_at: true,
      })
      .extend({ job_id: idSchema }),
  ),
  /** Owner of the worker that got the job. Only this person can grant permissions. */
  user_id: z.string().optional(),
  /** The agent that task, story or product name, or that the job fell back to. Older services omit these three. */
  agent: nullableText.optional(),
  /** The announced agent in whose name the attempt is. */
  attempt_agent: nullableText.optional(),
  model: nullableText.optional(),
  effort: z.enum(efforts).nullish(),
  task_id: idSchema.nullable(),
  idea_id: idSchema.nullable(),
  sprint_run_id: idSchema.nullable(),
  plan_snapshot: nullableText,
  lease_until: z.string(),
  heartbeat_seconds: z.int(),
  position: z.int(),
  plan: nullableText,
  product: z.object({
    id: idSchema,
    code: z.string(),
    name: z.string(),
    description: z.string(),
    repo_url: z.string(),
    definition_of_done: z.string(),
    auto_pr: z.boolean(),
    /** Services that only know auto_pr omit this. */
    pull_requests: z.enum(products.pullRequestChoices).optional(),
    pr_strategy: z.enum(products.prStrategies),
  }),
  repo_url: z.string(),
  /** Hosts that the product's owner lets it reach from inside a sandbox. Older services omit this. */
  may_reach: z.array(z.string()).optional(),
  /** Other repositories to read. Older services omit this. */
  references: z.array(products.referenceSchema).optional(),
  branch: nullableText,
  /** Where the names of the product's branches begin. Older services omit this. */
  branch_prefix: products.branchPrefixSchema.optional(),
  /** Whether the product wants to know what main's changes touched. Older services omit this. */
  change_index: z.boolean().optional(),
  base_sha: nullableText,
  /** Heads of the job's blockers that its branch lacks. Services without dependencies omit this. */
  base_refs: z
    .array(
      z.object({
        task_id: idSchema,
        task_code: z.string(),
        branch: z.string(),
        head_sha: z.string(),
        /** Already on the main branch, perhaps in other commits. */
        merged: z.boolean().optional(),
      }),
    )
    .optional(),
  /** Commits that the branch must contain before work starts. Services whose runs all start at main omit this. */
  begins_from: z.array(claimedBeginningSchema).optional(),
  /** Commits that work waits for on main branches. */
  awaited_heads: z.array(agentJobs.awaitedHeadSchema).nullish(),
  /** Conflicts of an earlier attempt, with both sides of each file. Services without conflict handling omit this. */
  conflicts: z.array(claimedConflictSchema).optional(),
  head_sha: nullableText,
  pr_url: nullableText,
  run: z
    .object({
      id: idSchema,
      status: z.string(),
      branch: z.string(),
      pr_strategy: z.enum(products.prStrategies),
      previous_run_id: idSchema.nullable(),
      /** What the run works on. Services that only know sprint runs omit this. */
      subject: z.string().optional(),
      /** Null for a run of chosen tasks, as are code and goal. */
      sprint_id: idSchema.nullable(),
      sprint_code: nullableText,
      sprint_goal: nullableText,
    })
    .nullable(),
  task: z
    .object({
      id: idSchema,
      code: z.string(),
      title: z.string(),
      description: z.string(),
      status: z.string(),
      verify_only: z.boolean(),
      verify_required: z.enum(verifyRequirements),
      requires_opus: z.boolean(),
      estimated_minutes: z.int().nullable(),
    })
    .nullable(),
  story: z
    .object({
      id: idSchema,
      code: z.string(),
      title: z.string(),
      description: z.string(),
      acceptance_criteria: z.string(),
      pbi_id: idSchema,
      pbi_code: z.string(),
      pbi_title: z.string(),
    })
    .nullable(),
  executions: z
    .array(
      z.object({
        id: idSchema,
        position: z.int(),
        status: z.enum(agentJobs.taskExecutionStatuses),
        task_id: idSchema,
        task_code: z.string(),
        title: z.string(),
        description: z.string(),
        plan: nullableText,
        verify_required: z.enum(verifyRequirements),
        verify_only: z.boolean(),
        requires_opus: z.boolean(),
        ...z.object(shownWho).partial().shape,
        story_id: idSchema,
        story_code: z.string(),
        story_title: z.string(),
        story_description: z.string(),
        acceptance_criteria: z.string(),
        verify_result: z.enum(agentJobs.verifyResults).nullable(),
        previous_failure: nullableText,
      }),
    )
    .nullable(),
  idea: z
    .object({ id: idSchema, code: z.string(), title: z.string(), description: z.string(), status: z.string() })
    .nullable(),
  user_questions: z
    .array(
      z.object({
        id: idSchema,
        question: z.string(),
        answer: nullableText,
        status: z.enum(userQuestionStatuses),
        asked_for_this_job: z.boolean(),
        created_at: z.string(),
      }),
    )
    .nullable(),
  questions: z.array(agentQuestionSchema),
  /** Messages to the agent that no attempt has acted on; absent if there are none. */
  messages: z.array(personMessageSchema).optional(),
  /** What the job may still use; absent if it falls under no budget. */
  budget_left: z.array(z.object({ unit: z.string(), amount: z.number() })).optional(),
});
export type JobPayload = z.infer<typeof jobPayloadSchema>;

/** A claimed job, or the reason there is none. */
/** A person takes the job of a task into a terminal. */
export const takeAgentJobInput = z.object({
  task: text(40),
  product: text(100).optional(),
  worker: workerName.optional(),
  at_once: z.boolean().optional(),
  /** Where setup, tests and proof run; absent means none. */
  confinement: confinementSchema.optional(),
});

/** job is null while an agent ends its tool call: ask again. */
export const takenJobSchema = z.object({ job: jobPayloadSchema.nullable(), waits_for: nullableText });

export const claimSchema = z.object({
  job: jobPayloadSchema.nullable(),
  worker_id: idSchema,
  reason: agentJobs.reasonSchema.nullable(),
});
export type Claim = z.infer<typeof claimSchema>;

export const checkQueueEmptyInput = z.object({ product_id: idSchema.optional() });

export const queueStateSchema = z.object({
  empty: z.boolean(),
  claimable: z.boolean(),
  queued: z.int(),
  held: z.int(),
  reason: agentJobs.reasonSchema.nullable(),
});
