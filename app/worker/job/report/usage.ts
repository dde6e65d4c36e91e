import { access, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { agentJobSchema } from "~/nouns/agent-jobs/contract";
import { driverNamed } from "../../agents/catalog";
import type { Usage } from "../../agents/driver";
import { personsVariables } from "../../base/environment";
import type { Journal } from "../../base/journal";
import { notesNamed } from "../../base/notes";
import { messageOf } from "../../base/problems";
import { sendable } from "../../base/sendable";
import { writeWhole } from "../../base/whole-file";
import type { WorkFolder } from "../../base/work-folder";
import { innerEnvironment } from "../../sandbox/inner-environment";
import type { Service } from "../../service/service";
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

/**
 * A worker killed during a turn has not reported its usage. A note next to the worktree stores what it knew and where
 * the agent's own record is. The worker's next start reports it before it gives the job back.
 */

const count = z.number().nullable();
const usageSchema: z.ZodType<Usage> = z.object({
  model: z.string().nullable(),
  freshInput: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: count,
  currency: z.string().nullable(),
});
const noteSchema = z.object({
  agent: z.string(),
  job_id: z.string(),
  attempt: z.int(),
  session_id: z.string().nullable(),
  /** Start of the turn. */
  since: z.iso.datetime(),
  /** Last ledger entry before the turn. */
  after_seq: z.int(),
  subscription: z.boolean(),
  so_far: z.array(usageSchema),
});
type TurnNote = z.output<typeof noteSchema>;

const fileName = "turn.json";

/** Note of the current turn. `beside` is any file in the attempt's notes folder. */
export function openTurnNote(beside: string, journal: Journal) {
  const file = join(dirname(beside), fileName);
  let latest: TurnNote | undefined;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (latest !== undefined) {
      const text = JSON.stringify(latest);
      latest = undefined;
      await writeWhole(file, text);
    }
  };
  return {
    note(next: TurnNote): void {
      latest = next;
      writing ??= write()
        .catch((error: unknown) => journal.say(messageOf(error)))
        .finally(() => {
          writing = undefined;
        });
    },
    /** Removes the note once the turn is reported. */
    async forget(): Promise<void> {
      latest = undefined;
      await writing;
      await rm(file, { force: true });
    },
  };
}

/** Reports the usage of turns in which an earlier run of this worker was killed. Reporting twice counts once. */
export async function reportUnreported(
  { worktrees, homes }: Pick<WorkFolder, "worktrees" | "homes">,
  service: Service,
  journal: Journal,
): Promise<void> {
  for (const text of await notesNamed(worktrees, fileName)) {
    await tellOf(text, homes, service).catch((error: unknown) =>
      journal.say(`The usage of an earlier attempt could not be reported: ${messageOf(error)}`),
    );
  }
}

async function tellOf(text: string, homes: string, service: Service): Promise<void> {
  const note = noteSchema.parse(JSON.parse(text));
  const { job_id, attempt, after_seq, subscription, so_far } = note;
  const recorded = await recordOf(note, homes);
  const used = (recorded === null ? so_far : joined(recorded, so_far)).filter(tellsSomething);
  if (used.length === 0) return;
  const events = eventsOf(used, after_seq, subscription).map((event) =>
    recorded === null ? { ...event, estimated: true } : event,
  );
  await service.call("report_job_usage", { job_id, attempt, events }, agentJobSchema);
}

/** Some agents record an answer only after its calls, so zeros mean unknown usage, not none. */
function tellsSomething({ freshInput, output, cacheRead, cacheWrite, cost }: Usage): boolean {
  return [freshInput, output, cacheRead, cacheWrite, cost].some(
    (value) => value !== null && value > 0,
  );
}

/** Usage from the agent's record; null without one. */
async function recordOf(note: TurnNote, homes: string): Promise<Usage[] | null> {
  const { agent, job_id, session_id, since } = note;
  if (session_id === null) return null;
  const persons = personsVariables();
  const home = join(homes, job_id);
  const wasConfined = await access(home).then(
    () => true,
    () => false,
  );
  const environment = wasConfined ? innerEnvironment(persons, home, {}) : persons;
  // Tools must not be started with data written in a sandbox that is gone, so only file records are read.
  const turn = { environment, folder: homes, ...(wasConfined ? { confine: never } : {}) };
  const tool = await driverNamed(agent).find(persons);
  const recorded = await tool?.recorded?.(turn, session_id, new Date(since)).catch(() => null);
  return recorded && recorded.length > 0 ? recorded : null;
}

async function never(): Promise<never> {
  throw new Error("The sandbox is gone");
}

/** An agent may record an answer before it is complete, so the larger count wins. */
function joined(recorded: readonly Usage[], soFar: readonly Usage[]): Usage[] {
  return recorded.map((usage) => {
    const said = soFar.find(({ model }) => model === usage.model);
    const bill = said ?? (recorded.length === 1 ? soFar.find(({ cost }) => cost !== null) : null);
    return {
      model: usage.model,
      freshInput: larger(usage.freshInput, said?.freshInput),
      output: larger(usage.output, said?.output),
      cacheRead: larger(usage.cacheRead, said?.cacheRead),
      cacheWrite: larger(usage.cacheWrite, said?.cacheWrite),
      cost: usage.cost ?? bill?.cost ?? null,
      currency: usage.currency ?? bill?.currency ?? null,
    };
  });
}

function larger(one: number | null, other: number | null | undefined): number | null {
  if (one === null || other === null || other === undefined) return one ?? other ?? null;
  return Math.max(one, other);
}
