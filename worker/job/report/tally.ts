import type { UsageSoFar } from "~/wire/agent-jobs/contract";
import type { Usage } from "../../agents/driver";
import { sendable } from "../../base/sendable";
import type { CommandResult } from "../turn/result-file";

const tokenCounts = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;

type Counts = Pick<CommandResult, "model_id" | (typeof tokenCounts)[number]>;

/** What an attempt has used, and in which conversation of its agent: what its reports carry. */
export interface Tally {
  /** The job's last ledger entry, and the usage since, in case the worker is killed: heartbeats send it. */
  readonly soFar: UsageSoFar & { after_seq: number };
  /** The attempt's totals, reported however it ends. */
  readonly totals: Readonly<Counts>;
  /** Id by which the agent's conversation can be resumed. */
  sessionId: string | null;
  /** Totals and conversation, as reports name them. */
  carried(): Counts & { session_id?: string };
  noteSoFar(used: readonly Usage[]): void;
  /** Adds what a command told. */
  add(counts: Counts): void;
  /** Adds a turn that has ended. Returns its ledger entries, one per model. */
  endTurn(used: readonly Usage[]): ReturnType<typeof eventsOf>;
}

export function openTally(subscription: boolean): Tally {
  const soFar: Tally["soFar"] = { after_seq: 0, models: [] };
  const totals: Counts = {};
  const add = (counts: Counts): void => {
    if (counts.model_id !== undefined) totals.model_id = sendable(counts.model_id, 200);
    for (const count of tokenCounts) {
      if (counts[count] !== undefined) totals[count] = (totals[count] ?? 0) + counts[count];
    }
  };
  const tally: Tally = {
    soFar,
    totals,
    sessionId: null,
    carried: () => ({ ...sessionOf(tally.sessionId), ...totals }),
    noteSoFar(used) {
      soFar.models = used.slice(0, 20).map((usage) => countsOf(usage, subscription));
    },
    add,
    endTurn(used) {
      for (const usage of used) add(knownCounts(usage));
      soFar.models = [];
      const events = eventsOf(used, soFar.after_seq, subscription);
      soFar.after_seq += used.length;
      return events;
    },
  };
  return tally;
}

/** The agent's conversation, as reports name it. */
export function sessionOf(sessionId: string | null): { session_id?: string } {
  return sessionId === null ? {} : { session_id: sendable(sessionId, 300) };
}

/** Ledger entries that follow number `after`. */
export function eventsOf(used: readonly Usage[], after: number, subscription: boolean) {
  return used.map((usage, index) => ({ seq: after + index + 1, ...countsOf(usage, subscription) }));
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

/** The contract's token counts; unknown ones are omitted. */
function knownCounts({ model, freshInput, output, cacheRead, cacheWrite }: Usage): Counts {
  return {
    model_id: model ?? undefined,
    input_tokens: freshInput ?? undefined,
    output_tokens: output ?? undefined,
    cache_read_tokens: cacheRead ?? undefined,
    cache_write_tokens: cacheWrite ?? undefined,
  };
}
