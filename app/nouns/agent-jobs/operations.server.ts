import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/agent-jobs/contract";
import { conflictDecisionSchema, reportJobConflictInput } from "~/wire/agent-jobs/job-conflict";
import { jobDiffInput, jobDiffSchema, saveJobDiffInput } from "~/wire/agent-jobs/job-diff";
import * as output from "~/wire/agent-jobs/job-output";
import * as sprintRuns from "~/wire/sprint-runs/contract";
import * as workers from "~/wire/workers/contract";
import { reportAgentJobInput, reportJobUsageInput } from "./job-report";

/** Cancels a queued job, or a chat job before its end (specification: Starting a sprint run 4). */
export const cancelAgentJob = operation("cancel_agent_job", wire.jobIdInput, wire.agentJobSchema);

/** Tells whether unfinished jobs are left for the caller (specification: Agent job). */
export const checkQueueEmpty = operation("check_queue_empty", workers.checkQueueEmptyInput, workers.queueStateSchema);

/** Claims the caller's oldest claimable job, or says why there is none (specification: Agent job). */
export const claimAgentJob = operation("claim_agent_job", workers.claimAgentJobInput, workers.claimSchema);

/** One job with its attempts and questions (specification: Agent job). */
export const getAgentJob = operation("get_agent_job", wire.jobIdInput, wire.agentJobDetailSchema);

/** Changes of an attempt, or null if none were sent. */
export const getJobDiff = operation("get_job_diff", jobDiffInput, jobDiffSchema.nullable());

/** An attempt's output entries after a `seq`, oldest first. */
export const getJobOutput = operation("get_job_output", output.jobOutputInput, output.jobOutputSchema);

/** Renews the lease of a held job; answers continue, pause or stop (specification: Agent job, lease_until). */
export const heartbeatAgentJob = operation(
  "heartbeat_agent_job",
  wire.heartbeatAgentJobInput,
  wire.heartbeatAnswerSchema,
);

/** Jobs the caller can see, newest first (specification: Agent job). */
export const listAgentJobs = operation("list_agent_jobs", wire.listAgentJobsInput, wire.agentJobPageSchema);

/** Reports an attempt's status: running, done, failed or skipped (specification: Agent job). */
export const reportAgentJob = patchOperation(
  "report_agent_job",
  reportAgentJobInput,
  { own: ["job_id", "attempt"], rest: "report" },
  wire.reportedJobSchema,
);

/** Reports that an attempt's work does not merge; answers who resolves it. */
export const reportJobConflict = patchOperation(
  "report_job_conflict",
  reportJobConflictInput,
  { own: ["job_id", "attempt"], rest: "conflict" },
  conflictDecisionSchema,
);

/** Reports an attempt's tokens: totals, or single events (specification: Agent job). */
export const reportJobUsage = patchOperation(
  "report_job_usage",
  reportJobUsageInput,
  { own: ["job_id", "attempt"], rest: "usage" },
  wire.agentJobSchema,
);

/** Reports that a job's work is on the main branch, as seen by a worker or said by the owner. */
export const reportMerged = operation("report_merged", wire.reportMergedInput, wire.mergedJobSchema);

/** Stores an attempt's changes, replacing earlier ones. */
export const saveJobDiff = patchOperation(
  "save_job_diff",
  saveJobDiffInput,
  { own: ["job_id", "attempt"], rest: "diff" },
  z.null(),
);

/** Reports the status of one task of a batch (specification: Sprint run, executions). */
export const updateTaskExecution = operation(
  "update_task_execution",
  sprintRuns.updateTaskExecutionInput,
  sprintRuns.endedExecutionSchema,
);

/** Compares one task of a batch with its plan (specification: Sprint run, executions). */
export const verifySprintTask = operation(
  "verify_sprint_task",
  sprintRuns.verifySprintTaskInput,
  sprintRuns.verificationSchema,
);

/** Compares a job's work with its plan (specification: Agent job, verify_result). */
export const verifyTaskAgainstPlan = operation(
  "verify_task_against_plan",
  sprintRuns.verifyTaskAgainstPlanInput,
  sprintRuns.verificationSchema,
);

/** Why a job, task or run does not move, as codes and text (specification: Agent job; Sprint run). */
export const whyNotMoving = operation("why_not_moving", wire.whyNotMovingInput, wire.whyNotMovingSchema);

/** Appends output entries of an attempt; answers the last stored `seq`. */
export const appendJobOutput = operation("append_job_output", output.appendJobOutputInput, output.appendedOutputSchema);

/** A person approves the plan that a job waits with, or sends it back (docs/worker.md). */
export const reviewPlan = operation("review_plan", wire.reviewPlanInput, wire.agentJobSchema);

/** A person takes a task's job into a terminal (docs/worker.md). */
export const takeAgentJob = operation("take_agent_job", workers.takeAgentJobInput, workers.takenJobSchema);
