import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { SessionCost } from "../agents/driver";
import type { WorkerOptions } from "../options";
import { messageOf } from "../service/problems";
import type { Attempt } from "./attempt";

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

/** The conversation about one task. */
export interface Conversation {
  /** Where this machine knows one that can be taken up again. */
  sessionId: string | undefined;
  cost: SessionCost | undefined;
  begin(sessionId: string): void;
  noteCost(cost: SessionCost): void;
  forget(): Promise<void>;
}

/** What is told of it is kept at once: whoever comes after a kill finds it. */
export async function openConversation(
  { folder: home, job, options, journal }: Attempt,
  { agent, task, folder }: { agent: string; task: string; folder: string },
): Promise<Conversation> {
  const begun: Conversations = { agent, folder, sessions: {}, costs: {} };
  const { sessions, costs, ...rest } =
    (await knownConversations(home.sessions, job.id, options)) ?? begun;
  const file = fileOf(home.sessions, job.id);
  let kept = Promise.resolve();
  /** One after the other, so that the last one written is the last one known. */
  const keep = (): Promise<void> => {
    kept = kept
      .catch(() => undefined)
      .then(() => writeFile(file, JSON.stringify({ ...rest, sessions, costs })));
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

/** A file that a kill has cut off tells nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
