import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { agentJobSchema } from "~/contract/agent-job";
import { driverNamed } from "../agents/catalog";
import type { Usage } from "../agents/driver";
import type { WorkFolder } from "../git/work-folder";
import { personsVariables } from "../job/environment";
import { innerEnvironment } from "../sandbox/inner-environment";
import type { Journal } from "./journal";
import { messageOf } from "./problems";
import type { Service } from "./service";
import { eventsOf } from "./tell-usage";

/**
 * A worker that is killed in the middle of a turn has not told what the turn took. A note beside the worktree has what it knew, and
 * says where the agent's own record of the conversation is; the next life of the worker looks, before it gives the job back.
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
  /** When the turn began. */
  since: z.iso.datetime(),
  /** The last line of the ledger that was told before it. */
  after_seq: z.int(),
  subscription: z.boolean(),
  so_far: z.array(usageSchema),
});
type TurnNote = z.output<typeof noteSchema>;

const fileName = "turn.json";

/** The note of the turn under way. `beside` is any file of the attempt's notes. */
export function openTurnNote(beside: string, journal: Journal) {
  const file = join(dirname(beside), fileName);
  let latest: TurnNote | undefined;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (latest !== undefined) {
      const text = JSON.stringify(latest);
      latest = undefined;
      // Whole at every moment: a kill may come between any two bytes.
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
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
    /** The turn was told of. */
    async forget(): Promise<void> {
      latest = undefined;
      await writing;
      await rm(file, { force: true });
    },
  };
}

/** Tells what the turns took that an earlier life of this worker was killed in. Told twice it counts once. */
export async function tellUnsaid(
  { worktrees, homes }: Pick<WorkFolder, "worktrees" | "homes">,
  service: Service,
  journal: Journal,
): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const text = await readFile(join(worktrees, name, fileName), "utf8").catch(() => null);
    if (text === null) continue;
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

/** Some write an answer down when its calls have ended: nothing added is then nothing known, and not nothing used. */
function tellsSomething({ freshInput, output, cacheRead, cacheWrite, cost }: Usage): boolean {
  return [freshInput, output, cacheRead, cacheWrite, cost].some(
    (value) => value !== null && value > 0,
  );
}

/** What the agent wrote down of the turn; null without a record. */
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
  // No tool is started on what was written in a sandbox that is gone: only records that are read are of use.
  const turn = { environment, folder: homes, ...(wasConfined ? { confine: never } : {}) };
  const tool = await driverNamed(agent).find(persons);
  const recorded = await tool?.recorded?.(turn, session_id, new Date(since)).catch(() => null);
  return recorded && recorded.length > 0 ? recorded : null;
}

async function never(): Promise<never> {
  throw new Error("The sandbox is gone");
}

/** An agent may write an answer down before it is whole; what it said meanwhile is not less true. */
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
