import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { WorkerOptions } from "./options";

/** Which conversations an agent of this machine has about a job, for the attempts that come after this one. */

const schema = z.object({
  agent: z.string(),
  /** The name of the worktree: agents know their conversations by it. */
  folder: z.string(),
  /** One for each task. */
  sessions: z.record(z.string(), z.string()),
  /** What each of them has cost by the agent's own count, where it has one. */
  costs: z.record(z.string(), z.object({ amount: z.number(), currency: z.string() })).default({}),
});
type Conversations = z.output<typeof schema>;

/** What the agent of this worker remembers of a job. */
export async function knownConversations(
  home: string,
  jobId: string,
  { work }: WorkerOptions,
): Promise<Conversations | null> {
  if (!("agent" in work)) return null;
  const text = await readFile(fileOf(home, jobId), "utf8").catch(() => "null");
  const known = schema.safeParse(parsed(text)).data;
  return known?.agent === work.agent ? known : null;
}

export async function keepConversations(
  home: string,
  jobId: string,
  conversations: Conversations,
): Promise<void> {
  await writeFile(fileOf(home, jobId), JSON.stringify(conversations));
}

function fileOf(home: string, jobId: string): string {
  return join(home, `${jobId}.json`);
}

/** A file that a kill has cut off tells nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
