import { agentJobSchema } from "~/nouns/agent-jobs/contract";
import type { Usage } from "../../agents/driver";
import { messageOf } from "../../base/problems";
import { sendable } from "../../base/sendable";
import type { Attempt } from "../attempt";
import { addUsage, type CommandResult } from "../turn/result-file";

/** Stores the current turn's usage for the next heartbeat, in case the worker is killed before it can report. */
export function noteUsageSoFar(
  attempt: Pick<Attempt, "soFar" | "options">,
  used: readonly Usage[],
): void {
  attempt.soFar.models = used
    .slice(0, 20)
    .map((usage) => countsOf(usage, attempt.options.subscription));
}

/** Ledger entries that follow number `after`. */
export function eventsOf(used: readonly Usage[], after: number, subscription: boolean) {
  return used.map((usage, index) => ({
    seq: after + index + 1,
    ...countsOf(usage, subscription),
  }));
}

function countsOf(usage: Usage, subscription: boolean) {
  return {
    model_id: usage.model === null ? null : sendable(usage.model, 200),
    input_tokens: usage.freshInput,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    cost: usage.cost,
    currency: usage.currency,
    ...(subscription ? { subscription: true } : {}),
  };
}

/**
 * Adds a turn's usage to the job's ledger, one entry per model, with the cost if known. The attempt's totals follow at
 * its end, so tokens are not lost if this call fails.
 */
export async function reportUsage(attempt: Attempt, used: readonly Usage[]): Promise<void> {
  const { job, service, journal } = attempt;
  addUsage(attempt.used, sumOf(used));
  attempt.soFar.models = [];
  if (used.length === 0) return;
  const events = eventsOf(used, attempt.soFar.after_seq, attempt.options.subscription);
  attempt.soFar.after_seq += used.length;
  try {
    const given = { job_id: job.id, attempt: job.attempt, events };
    await service.call("report_job_usage", given, agentJobSchema);
  } catch (error) {
    journal.say(`The usage report was refused: ${messageOf(error)}`);
  }
}

/** The contract's four token sums; unknown counts are omitted. */
function sumOf(used: readonly Usage[]): CommandResult {
  const total: CommandResult = {};
  for (const usage of used) {
    total.model_id = usage.model ?? total.model_id;
    const counts = {
      input_tokens: usage.freshInput,
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
    };
    for (const name of [
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "cache_write_tokens",
    ] as const) {
      const count = counts[name];
      if (count !== null) total[name] = (total[name] ?? 0) + count;
    }
  }
  return total;
}
