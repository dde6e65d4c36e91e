import { type ReportedJob, reportedJobSchema } from "~/contract/agent-job";
import type { ReportAgentJobInput } from "~/contract/job-report";
import { type Actor, callAs } from "~/db/rpc.server";

/** How an attempt goes: running, done, failed or skipped (specification: Agent job). */
export function reportAgentJob(
  actor: Actor,
  { job_id, attempt, ...report }: ReportAgentJobInput,
): Promise<ReportedJob> {
  return callAs(
    actor,
    "report_agent_job",
    { p_job_id: job_id, p_attempt: attempt, p_report: report },
    reportedJobSchema,
  );
}
