import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { SessionCost } from "../../agents/driver";
import { writeWhole } from "../../base/files";
import { messageOf } from "../../base/problems";
import type { Attempt } from "../attempt";

/** An agent's conversations about a job on this machine, for later attempts. */

const schema = z.object({
  agent: z.string(),
  /** Name of the worktree, by which agents find their conversations. */
  folder: z.string(),
  sessions: z.record(z.string(), z.string()),
  /** Cost of each by the agent's own count, if it has one. */
  costs: z.record(z.string(), z.object({ amount: z.number(), currency: z.string() })).default({}),
});
type Conversations = z.output<typeof schema>;

/** Stored conversations of an agent about a job. */
export async function knownConversations(home: string, jobId: string, agent: string): Promise<Conversations | null> {
  const known = await conversationsIn(home, jobId);
  return known?.agent === agent ? known : null;
}

/** Stored conversations about a job, whichever agent had them. */
export async function conversationsIn(home: string, jobId: string): Promise<Conversations | null> {
  const text = await readFile(fileOf(home, jobId), "utf8").catch(() => "null");
  return schema.safeParse(parsed(text)).data ?? null;
}

export interface Conversation {
  sessionId: string | undefined;
  cost: SessionCost | undefined;
  begin(sessionId: string): void;
  noteCost(cost: SessionCost): void;
  forget(): Promise<void>;
}

/** Opens a task's conversation. Changes are stored at once, so that they survive a kill. */
export async function openConversation(
  { folder: home, job, journal }: Pick<Attempt, "folder" | "job" | "journal">,
  { agent, task, folder }: { agent: string; task: string; folder: string },
): Promise<Conversation> {
  const begun: Conversations = { agent, folder, sessions: {}, costs: {} };
  const { sessions, costs, ...rest } = (await knownConversations(home.sessions, job.id, agent)) ?? begun;
  const file = fileOf(home.sessions, job.id);
  let kept = Promise.resolve();
  /** Writes one after another, so that the last write wins. */
  const keep = (): Promise<void> => {
    kept = kept.catch(() => undefined).then(() => writeWhole(file, JSON.stringify({ ...rest, sessions, costs })));
    return kept;
  };
  const keepSoon = (): void => {
    keep().catch((error: unknown) => journal.say(messageOf(error)));
  };
  const known = sessions[task];
  return {
    sessionId: known,
    cost: costs[task],
    begin(sessionId) {
      if (sessionId !== known) delete costs[task];
      sessions[task] = sessionId;
      keepSoon();
    },
    noteCost(cost) {
      costs[task] = cost;
      keepSoon();
    },
    async forget() {
      delete sessions[task];
      delete costs[task];
      await keep();
    },
  };
}

function fileOf(home: string, jobId: string): string {
  return join(home, `${jobId}.json`);
}

/** Returns null for a file that a worker of an earlier release left half written. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
