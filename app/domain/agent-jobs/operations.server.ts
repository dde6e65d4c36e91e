import { z } from "zod";
import {
  agentJobDetailSchema,
  agentJobPageSchema,
  agentJobSchema,
  createAgentJobInput,
  heartbeatAgentJobInput,
  heartbeatAnswerSchema,
  jobIdInput,
  listAgentJobsInput,
  reportedJobSchema,
} from "~/contract/agent-job";
import { conflictDecisionSchema, reportJobConflictInput } from "~/contract/job-conflict";
import { jobDiffInput, jobDiffSchema, saveJobDiffInput } from "~/contract/job-diff";
import {
  appendedOutputSchema,
  appendJobOutputInput,
  jobOutputInput,
  jobOutputSchema,
} from "~/contract/job-output";
import { reportAgentJobInput, reportJobUsageInput } from "~/contract/job-report";
import { mergedJobSchema, reportMergedInput } from "~/contract/merged-job";
import {
  endedExecutionSchema,
  updateTaskExecutionInput,
  verificationSchema,
  verifySprintTaskInput,
  verifyTaskAgainstPlanInput,
} from "~/contract/task-execution";
import { whyNotMovingInput, whyNotMovingSchema } from "~/contract/why-not-moving";
import {
  checkQueueEmptyInput,
  claimAgentJobInput,
  claimSchema,
  queueStateSchema,
} from "~/contract/worker";
import { gatheringOperation, operation } from "../operation.server";

/** Cancels a single queued job (specification: Starting a sprint run 4). */
export const cancelAgentJob = operation("cancel_agent_job", jobIdInput, agentJobSchema);

/** Whether jobs are left in reach (specification: Agent job). */
export const checkQueueEmpty = operation(
  "check_queue_empty",
  checkQueueEmptyInput,
  queueStateSchema,
);

/** Claims the oldest claimable job in reach, or says why there is none (specification: Agent job). */
export const claimAgentJob = operation("claim_agent_job", claimAgentJobInput, claimSchema);

/** Always refused: single jobs gave way to sprint runs (specification: Starting a sprint run 3). */
export const createAgentJob = operation("create_agent_job", createAgentJobInput, agentJobSchema);

/** One job with its attempts and the questions that it asked (specification: Agent job). */
export const getAgentJob = operation("get_agent_job", jobIdInput, agentJobDetailSchema);

/** What an attempt has changed, or null when none has sent it. */
export const getJobDiff = operation("get_job_diff", jobDiffInput, jobDiffSchema.nullable());

/** Entries of an attempt after a seq, oldest first. */
export const getJobOutput = operation("get_job_output", jobOutputInput, jobOutputSchema);

/** Renews the lease of a held job: continue, pause or stop (specification: Agent job, lease_until). */
export const heartbeatAgentJob = operation(
  "heartbeat_agent_job",
  heartbeatAgentJobInput,
  heartbeatAnswerSchema,
);

/** Jobs in reach, newest first (specification: Agent job). */
export const listAgentJobs = operation("list_agent_jobs", listAgentJobsInput, agentJobPageSchema);

/** How an attempt goes: running, done, failed or skipped (specification: Agent job). */
export const reportAgentJob = gatheringOperation(
  "report_agent_job",
  reportAgentJobInput,
  { own: ["job_id", "attempt"], rest: "report" },
  reportedJobSchema,
);

/** An attempt says that its work does not merge; the answer says who mends it. */
export const reportJobConflict = gatheringOperation(
  "report_job_conflict",
  reportJobConflictInput,
  { own: ["job_id", "attempt"], rest: "conflict" },
  conflictDecisionSchema,
);

/** Tokens of an attempt: totals, or single events (specification: Agent job). */
export const reportJobUsage = gatheringOperation(
  "report_job_usage",
  reportJobUsageInput,
  { own: ["job_id", "attempt"], rest: "usage" },
  agentJobSchema,
);

/** The work of a job is on the main branch: a worker saw it there, or the owner says so. */
export const reportMerged = operation("report_merged", reportMergedInput, mergedJobSchema);

/** Keeps what an attempt has changed; sent again it replaces what was there. */
export const saveJobDiff = gatheringOperation(
  "save_job_diff",
  saveJobDiffInput,
  { own: ["job_id", "attempt"], rest: "diff" },
  z.null(),
);

/** How one task of a batch run goes (specification: Sprint run, executions). */
export const updateTaskExecution = operation(
  "update_task_execution",
  updateTaskExecutionInput,
  endedExecutionSchema,
);

/** The same for one task of a batch run (specification: Sprint run, executions). */
export const verifySprintTask = operation(
  "verify_sprint_task",
  verifySprintTaskInput,
  verificationSchema,
);

/** Compares the work of a job with its plan (specification: Agent job, verify_result). */
export const verifyTaskAgainstPlan = operation(
  "verify_task_against_plan",
  verifyTaskAgainstPlanInput,
  verificationSchema,
);

/** Why a job, task or run does not move, in codes and words (specification: Agent job; Sprint run). */
export const whyNotMoving = operation("why_not_moving", whyNotMovingInput, whyNotMovingSchema);

/** Adds entries to what an attempt says; answers the last `seq` that is kept. */
export const appendJobOutput = operation(
  "append_job_output",
  appendJobOutputInput,
  appendedOutputSchema,
);
