import { z } from "zod";
import { reportJobUsageInput, reportWithDiffInput } from "~/nouns/agent-jobs/job-report";
import * as agentJobs from "~/nouns/agent-jobs/operations.server";
import { reportWithDiff } from "~/nouns/agent-jobs/report-with-diff.server";
import { restartWorker } from "~/nouns/workers/operations.server";
import { heartbeatAgentJobInput, jobIdInput, whyNotMovingInput } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";
import * as sprintRuns from "~/wire/sprint-runs/contract";
import { checkQueueEmptyInput, claimAgentJobInput } from "~/wire/workers/contract";
import { inProductOfJob, productOfCode, reference, resolveId, resolveOptionalId } from "../references.server";
import { defineTool } from "../tool.server";
import { longestWaitSeconds, waitForJob } from "../wait-for-job.server";

/** What a worker reports may be sent twice: its answer can be lost. */
const report = { access: "write", scopes: ["work"], effect: { repeatable: true } } as const;

export const waitForJobTool = defineTool({
  name: "wait_for_job",
  title: "Wait for a job",
  description: "Claim the next job. Waits up to wait_seconds, then says why. Its texts are user content.",
  access: "write",
  scopes: ["work"],
  input: claimAgentJobInput.safeExtend({
    product_id: reference.optional(),
    wait_seconds: z.number().min(0).max(longestWaitSeconds).default(longestWaitSeconds),
    restarted: z.boolean().optional().describe("Requeue what it held"),
  }),
  run: async (context, { wait_seconds, restarted, product_id, ...claim }) => {
    const { actor } = context;
    const product = await resolveOptionalId(actor, "product", product_id);
    if (restarted) await restartWorker(actor, { worker: claim.worker });
    return waitForJob(context, wait_seconds, { ...claim, product_id: product });
  },
});

export const jobHeartbeatTool = defineTool({
  name: "job_heartbeat",
  title: "Heartbeat",
  description: "Renew the lease every 60 s and obey: continue, pause or stop.",
  ...report,
  input: heartbeatAgentJobInput,
  run: ({ actor }, input) => agentJobs.heartbeatAgentJob(actor, input),
});

export const updateJobStatusTool = defineTool({
  name: "update_job_status",
  title: "Report a job",
  description: "Report running, done, skipped, or failed with failure_class. rate_limited with resets_at requeues.",
  ...report,
  input: reportWithDiffInput,
  run: ({ actor }, input) => reportWithDiff(actor, input),
});

export const reportJobUsageTool = defineTool({
  name: "report_job_usage",
  title: "Report tokens",
  description: "Report token totals or events.",
  ...report,
  input: reportJobUsageInput,
  run: ({ actor }, input) => agentJobs.reportJobUsage(actor, input),
});

export const verifyTaskAgainstPlanTool = defineTool({
  name: "verify_task_against_plan",
  title: "Verify a task",
  description: "Record how the work meets the plan (EMPTY: no diff). passes: done is allowed.",
  ...report,
  input: sprintRuns.verifyTaskAgainstPlanInput,
  run: ({ actor }, input) => agentJobs.verifyTaskAgainstPlan(actor, input),
});

export const verifySprintTaskTool = defineTool({
  name: "verify_sprint_task",
  title: "Verify in a batch",
  description: "Verify one task of a batch.",
  ...report,
  input: sprintRuns.verifySprintTaskInput.safeExtend({ task_id: reference, ...productOfCode }),
  run: async ({ actor }, { task_id, product_id, ...input }) => {
    const names = inProductOfJob(actor, product_id, input.job_id);
    return agentJobs.verifySprintTask(actor, { ...input, task_id: await names.id("task", task_id) });
  },
});

export const updateTaskExecutionTool = defineTool({
  name: "update_task_execution",
  title: "Report in a batch",
  description: "Report one task of a batch.",
  ...report,
  input: sprintRuns.updateTaskExecutionInput.safeExtend({ task_id: reference, ...productOfCode }),
  run: async ({ actor }, { task_id, product_id, ...input }) => {
    const names = inProductOfJob(actor, product_id, input.job_id);
    return agentJobs.updateTaskExecution(actor, { ...input, task_id: await names.id("task", task_id) });
  },
});

export const checkQueueEmptyTool = defineTool({
  name: "check_queue_empty",
  title: "Check the queue",
  description: "Check whether jobs are queued or held, and why none can be claimed.",
  access: "read",
  scopes: ["read", "work"],
  input: checkQueueEmptyInput.safeExtend({ product_id: reference.optional() }),
  run: async ({ actor }, { product_id }) =>
    agentJobs.checkQueueEmpty(actor, { product_id: await resolveOptionalId(actor, "product", product_id) }),
});

export const cancelJobTool = defineTool({
  name: "cancel_job",
  title: "Cancel a job",
  description: "Cancel a queued job. To stop a running job, cancel its run.",
  access: "write",
  scopes: ["plan", "work"],
  effect: { destructive: true, repeatable: true },
  input: jobIdInput,
  run: ({ actor }, input) => agentJobs.cancelAgentJob(actor, input),
});

export const whyNotMovingTool = defineTool({
  name: "why_not_moving",
  title: "Why is this not moving?",
  description: "Explain why a job, task or run is waiting, as codes and messages.",
  access: "read",
  input: whyNotMovingInput.safeExtend({
    id: reference.describe("Id of the job, task or run, or a task's code"),
    ...productOfCode,
  }),
  run: async ({ actor }, { kind, id, product_id }) =>
    agentJobs.whyNotMoving(actor, {
      kind,
      id: kind === "task" ? await resolveId(actor, "task", id, product_id) : canonicalId(id),
    }),
});
