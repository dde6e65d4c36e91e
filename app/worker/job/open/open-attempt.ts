import { setTimeout as wait } from "node:timers/promises";
import type { JobPayload } from "~/nouns/workers/contract";
import { uninterrupted } from "../../base/interruption";
import { endLeftRunning } from "../../base/orphans";
import { messageOf } from "../../base/problems";
import { openChanges } from "../../git/changes";
import { keepWork } from "../../git/kept-branch";
import { isOwnBranch, mainNameOf, usualPrefix } from "../../git/remote";
import { openRepositoryOf } from "../../git/repository";
import { noRules } from "../../git/rules";
import { addWorktree, type Worktree } from "../../git/worktree";
import { noSandbox, type Sandbox } from "../../sandbox/sandbox";
import { startHeartbeat } from "../../service/heartbeat";
import { openOutput } from "../../service/output-sender";
import type { Attempt, WorkerTools } from "../attempt";
import { openMessages } from "../turn/messages";
import { knownConversations } from "../turn/sessions";
import { assignedCommand } from "./assigned-agent";
import { freeName, keepOfTheDead } from "./leftovers";

export interface JobRun extends WorkerTools {
  job: JobPayload;
  sandboxes: Sandbox;
  readQuota: () => Promise<number | undefined>;
  stopSignal: AbortSignal;
}

/** An attempt with its heartbeats, before anything is prepared. */
export function openAttempt(run: Omit<JobRun, "sandboxes">): Attempt {
  const { job, options, service, journal, clean, stopSignal } = run;
  const seconds = options.heartbeatSeconds ?? job.heartbeat_seconds;
  const { url, token } = options;
  const watch = (onChange: () => void) => watchJob({ url, token, jobId: job.id }, onChange);
  const soFar: Attempt["soFar"] = { after_seq: 0, models: [] };
  const messages = openMessages();
  const beats = { seconds, stopSignal, soFar, messages, watch };
  const heartbeat = startHeartbeat({ ...run, service, ...beats });
  messages.arrive(job.messages ?? []);
  const to = { url, token, jobId: job.id, attempt: job.attempt, journal, clean };
  const output = openOutput(to);
  return {
    ...run,
    heartbeat,
    used: {},
    soFar,
    sessionId: null,
    rules: noRules,
    keep: async () => null,
    leftIn: null,
    output,
    changes: openChanges(to),
    sandbox: noSandbox,
    messages,
  };
}

/** Keeps the attempt's work in its current state and remembers the branch, or that the worktree has to stay. */
export function keeperOf(attempt: Attempt, worktree: Worktree): Attempt["keep"] {
  const { job, journal } = attempt;
  const { folder, checkout, branch: destination, start } = worktree;
  const { prefix } = worktree.repository;
  const work = { name: `${job.id}-${job.attempt}`, checkout, destination, start, prefix };
  let branch: string | null = null;
  return async () => {
    try {
      branch = (await uninterrupted(() => keepWork(folder, work))) ?? branch;
      attempt.leftIn = null;
    } catch (error) {
      attempt.leftIn = folder;
      journal.say(`The attempt's work could not be kept: ${messageOf(error)}`);
    }
    return branch;
  };
}

/** The worktree of the job's branch, in the folder in which its agent had its conversation. */
export async function prepare(
  { job, options, folder, journal }: Attempt,
  folderName?: string,
): Promise<Worktree> {
  const branch = job.branch ?? `${job.branch_prefix ?? usualPrefix}/${job.id}`;
  if (!isOwnBranch(branch, job.branch_prefix)) {
    throw new Error(`The branch ${branch} is none of Backloom's, so nothing may be pushed to it`);
  }
  const repository = await openRepositoryOf(job, options, folder);
  if (branch === (await mainNameOf(repository))) {
    throw new Error(`The branch ${branch} is the main branch: choose another branch prefix`);
  }
  // Ends what an earlier attempt left running on this machine: only one may write.
  await endLeftRunning(job.id);
  await keepOfTheDead(options.workDir, job.id, journal);
  // Agents find their conversations by folder, so the next attempt uses the same one.
  const known = await knownConversations(folder.sessions, job.id, assignedCommand(job, options));
  const wanted = folderName ?? known?.folder ?? `${job.id}-${job.attempt}`;
  const name = await freeName(folder.worktrees, wanted, journal);
  const { hooks } = options;
  return addWorktree({ repository, parent: folder.worktrees, name, branch, hooks });
}

interface JobWatch {
  url: string;
  token: string;
  jobId: string;
}

const pauseMilliseconds = 2_000;
/** `state` is the greeting: changes before it, since the claim or while disconnected, must be fetched. */
const news = new Set(["event: job", "event: state"]);

/**
 * Notices job changes at once, so that a cancel on the board reaches the agent within seconds instead of with the next
 * heartbeat. Only a hint: the heartbeat fetches the truth and works without the stream.
 */
function watchJob({ url, token, jobId }: JobWatch, onChange: () => void): () => void {
  const closing = new AbortController();
  const address = new URL(`/api/realtime/job?job_id=${jobId}&output=0`, url);
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const answer = await fetch(address, { headers, signal: closing.signal }).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.status !== 429 && !answer.ok) return;
      if (answer?.ok && answer.body) await readEvents(answer.body, onChange).catch(() => undefined);
      await wait(pauseMilliseconds, undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
  };
  void listen();
  return () => closing.abort();
}

async function readEvents(body: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = `${rest}${decoder.decode(part.value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.some((line) => news.has(line))) onChange();
  }
}
