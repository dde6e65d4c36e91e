import { z } from "zod";
import { personMessageSchema, seenMessagesSchema } from "../comments/contract";
import { released } from "../dependencies/contract";
import { doingSchema } from "../events";
import { lengths } from "../limits";
import { pullSchema } from "../pulls/contract";
import { agentQuestionSchema } from "../questions/contract";
import { attemptSchema, cursorSchema, idSchema, requiredText, text } from "../text";
import { confinementSchema } from "../workers/confinement";
import { jobAttemptSchema } from "./job-output";

export const agentJobStatuses = ["queued", "claimed", "running", "done", "failed", "cancelled", "skipped"] as const;

export const agentJobStatusSchema = z.enum(agentJobStatuses);

/** Kinds and results are not statuses, so they are upper-case everywhere. */
export const agentJobKinds = ["TASK_IMPLEMENTATION", "PLAN_CHAT", "SPRINT_IMPLEMENTATION"] as const;

/** What a queued job waits for; `verify` is by another worker, `review` by a person or CI, `plan` an approval. */
export const jobPhases = ["implement", "verify", "review", "plan"] as const;

export const verifyResults = ["ALIGNED", "PARTIAL", "EMPTY", "DIVERGENT"] as const;
export type VerifyResult = (typeof verifyResults)[number];

export const failureClasses = [
  "agent_error",
  "verification_failed",
  "rate_limited",
  "infrastructure",
  "cancelled",
] as const;

export const taskExecutionStatuses = ["pending", "running", "done", "failed", "skipped"] as const;

/** Where a cost comes from: reported by the tool, calculated from the model's price, or unknown. */
const usageSources = ["reported", "list_price", "unpriced"] as const;

/** Stored token counts; null until reported. */
export const usageSchema = z.object({
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  cache_read_tokens: z.int().nullable(),
  cache_write_tokens: z.int().nullable(),
});

/** Costs, one sum per currency: currencies are never added together. */
export const costsSchema = z.array(z.object({ currency: z.string(), cost: z.number() }));

/** An agent job (specification: Agent job), with the codes and names that pages show next to it. */
export const agentJobSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  task_id: z.string().nullable(),
  idea_id: z.string().nullable(),
  kind: z.enum(agentJobKinds),
  status: agentJobStatusSchema,
  phase: z.enum(jobPhases),
  sprint_run_id: z.string().nullable(),
  position: z.int(),
  in_turn: z.boolean(),
  open_blockers: z.int(),
  branch: z.string().nullable(),
  plan_snapshot: z.string().nullable(),
  /** When a person approved `plan_snapshot`. */
  plan_approved_at: z.string().nullable(),
  pushed_at: z.string().nullable(),
  pr_url: z.string().nullable(),
  verify_result: z.enum(verifyResults).nullable(),
  retry_count: z.int(),
  attempt: z.int(),
  worker_id: z.string().nullable(),
  worker_name: z.string().nullable(),
  /** Who does the last attempt, and the model and effort that it was given. */
  agent: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  effort: z.string().nullable().default(null),
  /** The agent of the product's fallback list that has the job now. */
  fallback_agent: z.string().nullable().default(null),
  /** Confinement of the last attempt. */
  confinement: confinementSchema.default("none"),
  claimed_at: z.string().nullable(),
  started_at: z.string().nullable(),
  lease_until: z.string().nullable(),
  not_before: z.string().nullable(),
  base_sha: z.string().nullable(),
  head_sha: z.string().nullable(),
  /** When its work was first known to be on the main branch. */
  merged_at: z.string().nullable(),
  model_id: z.string().nullable(),
  ...usageSchema.shape,
  /** Line counts of the newest diff; null until an attempt has sent one. */
  additions: z.int().nullable(),
  deletions: z.int().nullable(),
  evidence: z.record(z.string(), z.unknown()).nullable(),
  failure_class: z.enum(failureClasses).nullable(),
  failure_reason: z.string().nullable(),
  summary: z.string().nullable(),
  parked_question_id: z.string().nullable(),
  stopped_by_budget_id: z.string().nullable(),
  /** A person has it in a terminal, or it waits for one who takes it over. */
  holder: z.literal("person").nullable().default(null),
  holder_name: z.string().nullable().default(null),
  created_by: z.string().nullable(),
  finished_at: z.string().nullable(),
  /** When the work of its last attempt ended, which may wait for a review since. */
  attempt_ended_at: z.string().nullable().default(null),
  /** When a person first opened its changes, and when the first verdict came. */
  first_seen_at: z.string().nullable(),
  /** A verdict that can still be taken back. */
  pending_verdict: z.enum(["approve", "request_changes"]).nullable().default(null),
  judged_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  task_code: z.string().nullable(),
  task_title: z.string().nullable(),
  task_status: z.string().nullable(),
  story_id: z.string().nullable(),
  story_code: z.string().nullable(),
  story_title: z.string().nullable(),
  idea_code: z.string().nullable(),
  product_code: z.string(),
  /** The branch's newest pull request, as last observed. */
  pull: z.nullable(pullSchema),
  /** What its agent is doing now; null while no worker holds the job. */
  doing: z.nullable(doingSchema),
  costs: costsSchema,
  /** The cost if there is exactly one currency; null without a price or with several currencies. */
  cost: z.number().nullable(),
});
export type AgentJob = z.infer<typeof agentJobSchema>;

const planVerdicts = ["approve", "request_changes"] as const;

/** A person's verdict on a plan that waits. `plan` is the text as edited, `summary` what another plan should change. */
export const reviewPlanBody = z.object({
  verdict: z.enum(planVerdicts),
  plan: requiredText(lengths.text).optional(),
  summary: text(3_000).optional(),
});

export const reviewPlanInput = reviewPlanBody.extend({ job_id: idSchema });

export const reportedJobSchema = agentJobSchema.extend(released);
export type ReportedJob = z.infer<typeof reportedJobSchema>;

export const agentJobWithAttemptsSchema = agentJobSchema.extend({
  attempts: z.array(
    jobAttemptSchema.extend({
      usage: usageSchema.extend({ estimated: z.boolean(), sources: z.array(z.enum(usageSources)), costs: costsSchema }),
    }),
  ),
});

export const agentJobDetailSchema = agentJobWithAttemptsSchema.extend({ questions: z.array(agentQuestionSchema) });
export type AgentJobDetail = z.infer<typeof agentJobDetailSchema>;

export const agentJobPageSchema = z.object({ jobs: z.array(agentJobSchema), next_cursor: z.string().nullable() });

/** A commit that work waits for until it is on a repository's main branch. Workers check whether it is there. */
export const awaitedHeadSchema = z.object({
  job_id: idSchema,
  task_code: z.string(),
  branch: z.string(),
  head_sha: z.string(),
  repo_url: z.string(),
  product_repo_url: z.string(),
});
export type AwaitedHead = z.infer<typeof awaitedHeadSchema>;

/** A code for programs and a sentence for people. With code `consent`, `products` lists the products concerned. */
export const reasonSchema = z.object({
  code: z.string(),
  message: z.string(),
  products: z.array(z.object({ id: z.string(), code: z.string(), name: z.string() })).optional(),
  /** Commits that work waits for on main branches. */
  awaited_heads: z.array(awaitedHeadSchema).optional(),
  /** Nothing continues until a person answers, judges or resumes. */
  waits_for_person: z.boolean().optional(),
});

export const jobIdInput = z.object({ job_id: idSchema });

export const listAgentJobsInput = z.object({
  product_id: idSchema.optional(),
  sprint_run_id: idSchema.optional(),
  state: z.enum([...agentJobStatuses, "unfinished"]).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: cursorSchema.optional(),
});

/** Sent in every call of the attempt that holds the job. */
export const attemptInput = z.object({ job_id: idSchema, attempt: attemptSchema });

const tokens = z.int().min(0).optional();

export const usageInput = {
  model_id: text(200).optional(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
};

export const sha = text(64).optional();

/** Accepts lower and upper case. The service always answers in upper case. */
export const verifyResultInput = z
  .string()
  .meta({ enum: [...verifyResults] })
  .transform((value) => value.toUpperCase())
  .pipe(z.enum(verifyResults))
  .optional();

/** Counts are disjoint: cached input is not in `input_tokens`. Strict: a misspelled one would use up its `seq`. */
export const usageEventInput = z
  .strictObject({
    seq: z.int().min(1),
    model_id: text(200).nullish(),
    input_tokens: tokens.nullable(),
    output_tokens: tokens.nullable(),
    cache_read_tokens: tokens.nullable(),
    cache_write_tokens: tokens.nullable(),
    cost: z.number().min(0).max(1_000_000).nullish(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .nullish(),
    estimated: z.boolean().optional(),
    subscription: z.boolean().optional(),
  })
  .meta({ brief: "input_tokens excludes cached input; a seq counts once" });

/** Usage of an attempt since its last usage event, one entry per model. */
const usageSoFarInput = z
  .strictObject({
    after_seq: z.int().min(0).optional(),
    models: z.array(usageEventInput.omit({ seq: true, estimated: true })).max(20),
  })
  .meta({ brief: "Since after_seq; models: events without seq" });
export type UsageSoFar = z.infer<typeof usageSoFarInput>;

export const heartbeatAgentJobInput = attemptInput.extend({
  quota_pct: z.int().min(0).max(100).optional(),
  usage: usageSoFarInput.optional(),
  /** Confirms messages as seen. Without this field, sent messages count as seen. */
  seen_messages: seenMessagesSchema.optional(),
});

export const heartbeatAnswerSchema = z.object({
  action: z.enum(["continue", "pause", "stop"]),
  status: agentJobStatusSchema,
  lease_until: z.string().nullable(),
  reason: reasonSchema.nullable(),
  /** Messages from people to the job's agent; absent if there are none. */
  messages: z.array(personMessageSchema).optional(),
});

/** Body of `POST /api/jobs/:id/merged`: the commit found on the main branch. */
export const reportMergedBody = z.object({ head_sha: text(64).min(1) });

/** The owner may also report a merge that no worker can see, with or without its commit. */
export const reportMergedInput = reportMergedBody.partial().extend({ job_id: idSchema });

export const mergedJobSchema = z.object({ job_id: z.string(), merged_at: z.string(), ...released });

export const whyNotMovingInput = z.object({ kind: z.enum(["job", "task", "run"]), id: idSchema });

/** Why a job, task or run does not move. Pages, tools and worker logs show the same words. */
export const whyNotMovingSchema = z.object({
  kind: z.enum(["job", "task", "run"]),
  id: z.string(),
  status: z.string(),
  moving: z.boolean(),
  reasons: z.array(
    z.looseObject({
      code: z.string(),
      message: z.string(),
      /** With code no_worker: the command that starts a worker. */
      command: z.string().optional(),
    }),
  ),
  text: z.string().nullable(),
});
export type WhyNotMoving = z.infer<typeof whyNotMovingSchema>;
