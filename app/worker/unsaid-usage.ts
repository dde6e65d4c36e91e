import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { agentJobSchema } from "~/contract/agent-job";
import { driverNamed } from "./agents/catalog";
import { personsVariables } from "./environment";
import type { Journal } from "./journal";
import { messageOf } from "./problems";
import type { Service } from "./service";
import { eventsOf } from "./tell-usage";

/**
 * A worker that is killed in the middle of a turn has not told what the turn took. The agent's own record of the conversation has
 * it, so a note beside the worktree says where to look; the next life of the worker looks, before it gives the job back.
 */

const noteSchema = z.object({
  agent: z.string(),
  job_id: z.string(),
  attempt: z.int(),
  session_id: z.string(),
  /** When the turn began. */
  since: z.iso.datetime(),
  /** The last line of the ledger that was told before it. */
  after_seq: z.int(),
  subscription: z.boolean(),
});
type TurnNote = z.output<typeof noteSchema>;

const fileName = "turn.json";

/** Says where the record of the turn under way is. `beside` is any file of the attempt's notes. */
export async function noteTurn(beside: string, note: TurnNote): Promise<void> {
  await writeFile(join(dirname(beside), fileName), JSON.stringify(note));
}

/** The turn was told of. */
export async function forgetTurn(beside: string): Promise<void> {
  await rm(join(dirname(beside), fileName), { force: true });
}

/** Tells what the turns took that an earlier life of this worker was killed in. Told twice it counts once. */
export async function tellUnsaid(
  worktrees: string,
  service: Service,
  journal: Journal,
): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const text = await readFile(join(worktrees, name, fileName), "utf8").catch(() => null);
    if (text === null) continue;
    await tellOf(text, service).catch((error: unknown) =>
      journal.say(`What an earlier attempt has used could not be told: ${messageOf(error)}`),
    );
  }
}

async function tellOf(text: string, service: Service): Promise<void> {
  const note = noteSchema.parse(JSON.parse(text));
  const environment = personsVariables();
  const tool = await driverNamed(note.agent).find(environment);
  const used = await tool?.recorded?.({ environment }, note.session_id, new Date(note.since));
  if (!used || used.length === 0) return;
  const { job_id, attempt, after_seq, subscription } = note;
  const events = eventsOf(used, after_seq, subscription);
  await service.call("report_job_usage", { job_id, attempt, events }, agentJobSchema);
}
