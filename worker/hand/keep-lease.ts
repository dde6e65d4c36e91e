import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { heartbeatAnswerSchema } from "~/wire/agent-jobs/contract";
import { openJournal } from "../base/journal";
import { Refusal } from "../base/problems";
import { isRunning } from "../base/work-folder";
import { takenEnd } from "../git/worktree";
import { readTaken, type Taken } from "../job/open/taken";
import { type CallOptions, connectService, type Service } from "../service/service";

const checkMilliseconds = 2_000;

/** Until the job is given, lost, or isOver says so. Messages stay for the next agent: none counts as seen. */
export async function keepLease(
  { job, worktree, service: login }: Taken,
  isOver: () => boolean | Promise<boolean>,
): Promise<void> {
  if (login === undefined) return;
  const quiet = openJournal(() => undefined);
  const service = connectService(login, quiet, (text) => text, new AbortController().signal);
  let lastBeat = 0;
  while (!(await isOver()) && existsSync(`${worktree.folder}${takenEnd}`)) {
    if (Date.now() - lastBeat >= job.heartbeat_seconds * 1_000) {
      lastBeat = Date.now();
      if (!(await isHeld(service, job, { retry: false }).catch(() => true))) break;
    }
    await wait(checkMilliseconds);
  }
  await service.close();
}

/** Renews the lease of a job that a person has. False if they lost it. */
export async function isHeld(
  service: Service,
  { id, attempt }: Pick<Taken["job"], "id" | "attempt">,
  options?: CallOptions,
): Promise<boolean> {
  const given = { job_id: id, attempt, seen_messages: [] };
  try {
    const { action } = await service.call("job_heartbeat", given, heartbeatAnswerSchema, options);
    return action !== "stop";
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Without a terminal, a separate process keeps the lease for as long as the program lives that asked for it. */
export async function keepLeaseFor([folder = "", parent = ""]: readonly string[]): Promise<void> {
  const taken = await readTaken(folder);
  if (taken !== null) await keepLease(taken, async () => !(await isRunning(parent)));
}
