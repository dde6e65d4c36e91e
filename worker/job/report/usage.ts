import { access, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { driverNamed } from "../../agents/catalog";
import type { Usage } from "../../agents/driver";
import { personsVariables } from "../../base/environment";
import { notesNamed, writeWhole } from "../../base/files";
import type { Journal } from "../../base/journal";
import { messageOf } from "../../base/problems";
import { succeeds } from "../../base/run";
import type { WorkFolder } from "../../base/work-folder";
import { innerEnvironment } from "../../sandbox/variables";
import type { CallOptions, Service } from "../../service/service";
import type { Attempt } from "../attempt";
import { eventsOf } from "./tally";

/** One entry per model. The attempt's totals follow at its end, so tokens are not lost if this call fails. */
export async function reportUsage(attempt: Attempt, used: readonly Usage[]): Promise<void> {
  const { job, service, journal, tally } = attempt;
  const events = tally.endTurn(used);
  if (events.length === 0) return;
  try {
    const given = { job_id: job.id, attempt: job.attempt, events };
    await service.call("report_job_usage", given, agentJobSchema);
  } catch (error) {
    journal.say(`The usage report was refused: ${messageOf(error)}`);
  }
}

/** Reports the totals before an end of the attempt that cannot carry them. */
export async function reportTotals(
  { service, job, tally }: Pick<Attempt, "service" | "job" | "tally">,
  options?: CallOptions,
): Promise<void> {
  if (Object.keys(tally.totals).length === 0) return;
  const given = { job_id: job.id, attempt: job.attempt, ...tally.totals };
  await service.call("report_job_usage", given, agentJobSchema, options);
}

/** For a worker killed during a turn: its next start reports what this note knew before it gives the job back. */

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
  since: z.iso.datetime(),
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
    await reportFrom(text, homes, service).catch((error: unknown) =>
      journal.say(`The usage of an earlier attempt could not be reported: ${messageOf(error)}`),
    );
  }
}

async function reportFrom(text: string, homes: string, service: Service): Promise<void> {
  const note = noteSchema.parse(JSON.parse(text));
  const { job_id, attempt, after_seq, subscription, so_far } = note;
  const recorded = await recordOf(note, homes);
  const used = (recorded === null ? so_far : joined(recorded, so_far)).filter(hasCounts);
  if (used.length === 0) return;
  const events = eventsOf(used, after_seq, subscription).map((event) =>
    recorded === null ? { ...event, estimated: true } : event,
  );
  await service.call("report_job_usage", { job_id, attempt, events }, agentJobSchema);
}

/** Some agents record an answer only after its calls, so zeros mean unknown usage, not none. */
function hasCounts({ freshInput, output, cacheRead, cacheWrite, cost }: Usage): boolean {
  return [freshInput, output, cacheRead, cacheWrite, cost].some((value) => value !== null && value > 0);
}

/** Usage from the agent's record; null without one. */
async function recordOf(note: TurnNote, homes: string): Promise<Usage[] | null> {
  const { agent, job_id, session_id, since } = note;
  if (session_id === null) return null;
  const persons = personsVariables();
  const home = join(homes, job_id);
  const wasConfined = await succeeds(access(home));
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
    const reported = soFar.find(({ model }) => model === usage.model);
    const bill = reported ?? (recorded.length === 1 ? soFar.find(({ cost }) => cost !== null) : null);
    return {
      model: usage.model,
      freshInput: larger(usage.freshInput, reported?.freshInput),
      output: larger(usage.output, reported?.output),
      cacheRead: larger(usage.cacheRead, reported?.cacheRead),
      cacheWrite: larger(usage.cacheWrite, reported?.cacheWrite),
      cost: usage.cost ?? bill?.cost ?? null,
      currency: usage.currency ?? bill?.currency ?? null,
    };
  });
}

function larger(one: number | null, other: number | null | undefined): number | null {
  if (one === null || other === null || other === undefined) return one ?? other ?? null;
  return Math.max(one, other);
}
