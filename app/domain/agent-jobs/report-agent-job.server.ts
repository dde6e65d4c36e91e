import { type AgentJob, agentJobSchema, type ReportAgentJobInput } from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** How an attempt goes: running, done, failed or skipped (specification: Agent job). */
export function reportAgentJob(actor: Actor, input: ReportAgentJobInput): Promise<AgentJob> {
  return callAs(
    actor,
    "report_agent_job",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_status: input.status,
      p_verify_result: input.verify_result,
      p_summary: input.summary,
      p_failure_class: input.failure_class,
      p_failure_reason: input.failure_reason,
      p_resets_at: input.resets_at,
      p_base_sha: input.base_sha,
      p_head_sha: input.head_sha,
      p_branch: input.branch,
      p_pushed_at: input.pushed_at,
      p_pr_url: input.pr_url,
      p_model_id: input.model_id,
      p_input_tokens: input.input_tokens,
      p_output_tokens: input.output_tokens,
      p_cache_read_tokens: input.cache_read_tokens,
      p_cache_write_tokens: input.cache_write_tokens,
    },
    agentJobSchema,
  );
}
