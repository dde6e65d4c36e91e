import { type AgentJob, agentJobSchema, type ReportJobUsageInput } from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** Tokens of an attempt, as totals (specification: Agent job). */
export function reportJobUsage(actor: Actor, input: ReportJobUsageInput): Promise<AgentJob> {
  return callAs(
    actor,
    "report_job_usage",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_model_id: input.model_id,
      p_input_tokens: input.input_tokens,
      p_output_tokens: input.output_tokens,
      p_cache_read_tokens: input.cache_read_tokens,
      p_cache_write_tokens: input.cache_write_tokens,
      p_events: input.events,
    },
    agentJobSchema,
  );
}
