import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { JobPayload } from "~/contract/worker";
import { type Attempt, reportUsage } from "./attempt";
import { workOnBatch } from "./batch-job";
import { workOnChat } from "./chat-job";
import { startHeartbeat } from "./heartbeat";
import { AttemptOver, messageOf, Refusal, WorkerProblem } from "./problems";
import { reportFailure } from "./reports";
import { openRepository } from "./repository";
import { workOnTask } from "./task-job";
import { addWorktree, type Worktree } from "./worktree";

interface JobRun extends Omit<Attempt, "heartbeat" | "used"> {
  readQuota: () => Promise<number | undefined>;
  stopSignal: AbortSignal;
}

/** Works on one job from claim to report; whatever happens, its worktree is gone afterwards. */
export async function runJob(run: JobRun): Promise<void> {
  const { job, options, service, journal, stopSignal } = run;
  const seconds = options.heartbeatSeconds ?? job.heartbeat_seconds;
  const heartbeat = startHeartbeat({ ...run, service, seconds, stopSignal });
  const attempt: Attempt = { ...run, heartbeat, used: {} };
  journal.say(`Claimed ${nameOf(job)} (attempt ${job.attempt})`);
  try {
    await work(attempt);
  } catch (error) {
    await explain(attempt, error);
  } finally {
    heartbeat.end();
    await removeFiles(attempt);
  }
}

async function work(attempt: Attempt): Promise<void> {
  if (attempt.job.kind === "PLAN_CHAT") return workOnChat(attempt);
  const worktree = await prepare(attempt);
  try {
    if (attempt.job.kind === "SPRINT_IMPLEMENTATION") await workOnBatch(attempt, worktree);
    else await workOnTask(attempt, worktree);
  } finally {
    await worktree.remove();
  }
}

async function prepare({ job, options, folder }: Attempt): Promise<Worktree> {
  const branch = job.branch ?? `backloom/${job.id}`;
  if (!branch.startsWith("backloom/")) {
    throw new Error(`The branch ${branch} is none of Backloom's, so nothing may be pushed to it`);
  }
  const repository = await openRepository({
    given: options.repo,
    productAddress: job.product.repo_url,
    jobAddress: job.repo_url,
    repositories: folder.repositories,
    mayCreate: options.exec === "demo",
  });
  return addWorktree({
    repository,
    parent: folder.worktrees,
    name: `${job.id}-${job.attempt}`,
    branch,
  });
}

/** An attempt that is over leaves without a word; what broke on this machine is told to the service. */
async function explain(attempt: Attempt, error: unknown): Promise<void> {
  const { journal, heartbeat } = attempt;
  if (heartbeat.signal.aborted) {
    await reportLastUsage(attempt);
    const { reason } = heartbeat.signal;
    journal.say(reason instanceof AttemptOver ? reason.message : "Stopped: the job is given back");
    return;
  }
  if (error instanceof Refusal && (error.code === 409 || error.code === 404)) {
    journal.say(`The attempt is over: ${error.message}`);
    return;
  }
  // What only the person at this machine can mend is no fault of the job: it goes back with the worker's good-bye.
  if (error instanceof WorkerProblem) throw error;
  const failure_reason = messageOf(error);
  await reportFailure(attempt, { failure_class: "infrastructure", failure_reason }).catch(
    (failure: unknown) => {
      if (!(failure instanceof Refusal)) throw failure;
      journal.say(`The failure was not taken: ${failure.message}`);
    },
  );
}

/** What an attempt has used counts although it was stopped, unless somebody else has taken the job over. */
async function reportLastUsage(attempt: Attempt): Promise<void> {
  const options = { retry: false, signal: AbortSignal.timeout(5_000) };
  await reportUsage(attempt, options).catch((error: unknown) => {
    attempt.journal.say(`What was used could not be told: ${messageOf(error)}`);
  });
}

async function removeFiles({ folder, job }: Attempt): Promise<void> {
  const codes = [null, job.task?.code, ...(job.executions ?? []).map(({ task_code }) => task_code)];
  for (const code of codes) {
    const name = `${job.id}-${job.attempt}-${code ?? "job"}.files`;
    await rm(join(folder.worktrees, name), { recursive: true, force: true });
  }
}

function nameOf(job: JobPayload): string {
  if (job.task !== null && job.kind === "TASK_IMPLEMENTATION") {
    return `${job.task.code} "${job.task.title}"`;
  }
  return job.idea === null ? `${job.kind} of ${job.run?.sprint_code ?? "a sprint"}` : job.idea.code;
}
