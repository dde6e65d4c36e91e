import { type AgentJob, agentJobSchema } from "~/contract/agent-job";
import type { ReportJobUsageInput } from "~/contract/job-report";
import { type Actor, callAs } from "~/db/rpc.server";

/** Tokens of an attempt: totals, or single events (specification: Agent job). */
export function reportJobUsage(
  actor: Actor,
  { job_id, attempt, ...usage }: ReportJobUsageInput,
): Promise<AgentJob> {
  return callAs(
    actor,
    "report_job_usage",
    { p_job_id: job_id, p_attempt: attempt, p_usage: usage },
    agentJobSchema,
  );
}
