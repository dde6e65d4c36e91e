import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { heartbeatAnswerSchema } from "~/nouns/agent-jobs/contract";
import { openJournal } from "../base/journal";
import { isAlive } from "../base/work-folder";
import { takenEnd } from "../git/worktree-note";
import { readTaken, type Taken } from "../job/taken";
import { connectService } from "../service/service";

const lookMilliseconds = 2_000;

/**
 * Keeps the lease of what a person has taken, until it is given, lost, or isOver says so. Messages stay for the next
 * agent: none counts as seen.
 */
export async function keepLease(
  { job, worktree }: Taken,
  { url, token }: { url: string; token: string },
  isOver: () => boolean,
): Promise<void> {
  const quiet = openJournal(() => undefined);
  const service = connectService(
    { url, token },
    quiet,
    (text) => text,
    new AbortController().signal,
  );
  let lastBeat = 0;
  while (!isOver() && existsSync(`${worktree.folder}${takenEnd}`)) {
    if (Date.now() - lastBeat >= job.heartbeat_seconds * 1_000) {
      lastBeat = Date.now();
      const given = { job_id: job.id, attempt: job.attempt, seen_messages: [] };
      const answer = await service
        .call("job_heartbeat", given, heartbeatAnswerSchema, { retry: false })
        .catch(() => null);
      if (answer?.action === "stop") break;
    }
    await wait(lookMilliseconds);
  }
  await service.close();
}

/** Without a terminal, a separate process keeps the lease for as long as the program lives that asked for it. */
export async function keepLeaseFor([folder = "", parent = ""]: readonly string[]): Promise<void> {
  const taken = await readTaken(folder);
  const { BACKLOOM_URL: url = "", BACKLOOM_TOKEN: token = "" } = process.env;
  if (taken !== null) await keepLease(taken, { url, token }, () => !isAlive(Number(parent)));
}
