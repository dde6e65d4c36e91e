import { rm } from "node:fs/promises";
import type { JobPayload } from "~/nouns/workers/contract";
import { RepositoryNotAllowed } from "../base/allowed-repositories";
import { interruptible, uninterrupted } from "../base/interruption";
import { notesOf } from "../base/notes";
import { endLeftRunning } from "../base/orphans";
import { AttemptOver, messageOf, Refusal, WorkerProblem } from "../base/problems";
import { sendable } from "../base/sendable";
import { learnLogin } from "../forge/open-forge";
import { openChanges } from "../git/changes";
import { hearOfFiles } from "../git/checkout";
import { findKept, forgetKept, keepWork } from "../git/keep";
import { BranchInUse, isOwnBranch, mainNameOf, usualPrefix } from "../git/remote";
import { openRepositoryOf } from "../git/repository";
import { noRules, readRules } from "../git/rules";
import { addWorktree, type Worktree } from "../git/worktree";
import { noSandbox, type Sandbox } from "../sandbox/sandbox";
import { startHeartbeat } from "../service/heartbeat";
import { openOutput } from "../service/output-sender";
import { assignedCommand } from "./assigned-agent";
import { type Attempt, reportUsage } from "./attempt";
import { workOnBatch } from "./batch-job";
import { workOnChat } from "./chat-job";
import { testCommandOf } from "./evidence";
import { freeName } from "./leftovers";
import { openMessages } from "./messages";
import { openForJob } from "./open-for-job";
import { reportFailure } from "./reports";
import { knownConversations } from "./sessions";
import { workOnTask } from "./task-job";
import { verifyWork } from "./verify-job";
import { removeLargeFiles, WorktreeTooLarge, watchDisk } from "./watch-disk";
import { watchJob } from "./watch-job";

interface JobRun
  extends Omit<
    Attempt,
    | "heartbeat"
    | "used"
    | "soFar"
    | "sessionId"
    | "rules"
    | "keep"
    | "leftIn"
    | "output"
    | "changes"
    | "sandbox"
    | "messages"
  > {
  sandboxes: Sandbox;
  readQuota: () => Promise<number | undefined>;
  stopSignal: AbortSignal;
}

/** Works on a job from claim to report. Always removes its worktree. */
export async function runJob(run: JobRun): Promise<void> {
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
  const attempt: Attempt = {
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
  journal.say(`Claimed ${nameOf(job)} (attempt ${job.attempt})`);
  try {
    await interruptible(heartbeat.signal, () => work(attempt, run.sandboxes));
  } catch (error) {
    await explain(attempt, error);
  } finally {
    heartbeat.end();
    await attempt.sandbox.close();
    await output.close();
    await removeNotes(attempt);
  }
}

async function work(attempt: Attempt, sandboxes: Sandbox): Promise<void> {
  if (attempt.job.kind === "PLAN_CHAT") return workOnChat(attempt, sandboxes);
  const worktree = await prepare(attempt);
  attempt.keep = keeperOf(attempt, worktree);
  const told = new Set<string>();
  hearOfFiles(worktree.folder, (what, names) => {
    // What is left out of one commit is there at the next one too.
    const news = names.filter((name) => !told.has(`${what} ${name}`));
    for (const name of news) told.add(`${what} ${name}`);
    if (news.length > 0) tellFiles(attempt, what, news);
  });
  const disk = watchDisk(worktree.folder, attempt.options.diskGigabytes, attempt.heartbeat);
  attempt.heartbeat = disk.heartbeat;
  try {
    attempt.rules = await readRules(worktree);
    await learnLogin(worktree.repository, attempt.rules, attempt.options);
    attempt.sandbox = await openForJob(attempt, sandboxes, worktree);
    const sameWork = [attempt.job.id, ...attempt.job.earlier_jobs];
    const here = { ...worktree.repository, folder: worktree.folder };
    await forgetKept(here, sameWork);
    const surroundings = {
      checkout: worktree.checkout,
      testCommand: testCommandOf(attempt),
      kept: await findKept(here, sameWork),
    };
    if (attempt.job.phase === "verify") {
      await verifyWork(attempt, worktree, surroundings);
    } else if (attempt.job.kind === "SPRINT_IMPLEMENTATION") {
      await workOnBatch(attempt, worktree, surroundings);
    } else await workOnTask(attempt, worktree, surroundings);
  } catch (error) {
    disk.end();
    if (attempt.heartbeat.signal.reason instanceof WorktreeTooLarge) {
      await removeLargeFiles(worktree.folder, attempt.options.diskGigabytes);
    }
    await explain(attempt, error);
  } finally {
    disk.end();
    await uninterrupted(async () => {
      await endLeftRunning(attempt.job.id);
      await sayWhatIsKept(attempt);
      await attempt.changes.sendLast();
      if (attempt.leftIn === null) await worktree.remove();
    });
  }
}

function tellFiles({ journal, output }: Attempt, title: string, names: readonly string[]): void {
  const text = sendable(names.slice(0, 20).join("\n"), 2_000);
  journal.say(`${title} (${sendable(names.slice(0, 3).join(", "), 300)})`);
  output.add({ kind: "note", title, text, at: new Date().toISOString() });
}

/** Keeps the attempt's work in its current state and remembers the branch, or that the worktree has to stay. */
function keeperOf(attempt: Attempt, worktree: Worktree): Attempt["keep"] {
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

async function sayWhatIsKept(attempt: Attempt): Promise<void> {
  const branch = await attempt.keep();
  if (branch !== null) attempt.journal.say(`Undelivered work is kept on ${branch}`);
  if (attempt.leftIn === null) return;
  tellFiles(attempt, "The worktree stays, as its work could not be kept", [attempt.leftIn]);
}

async function prepare({ job, options, folder, journal }: Attempt): Promise<Worktree> {
  const branch = job.branch ?? `${job.branch_prefix ?? usualPrefix}/${job.id}`;
  if (!isOwnBranch(branch, job.branch_prefix)) {
    throw new Error(`The branch ${branch} is none of Backloom's, so nothing may be pushed to it`);
  }
  const repository = await openRepositoryOf(job, options, folder);
  if (branch === (await mainNameOf(repository))) {
    throw new Error(`The branch ${branch} is the main branch: choose another branch prefix`);
  }
  // Agents find their conversations by folder, so the next attempt uses the same one.
  const known = await knownConversations(folder.sessions, job.id, assignedCommand(job, options));
  const wanted = known?.folder ?? `${job.id}-${job.attempt}`;
  const name = await freeName(folder.worktrees, wanted, journal);
  const { hooks } = options;
  return addWorktree({ repository, parent: folder.worktrees, name, branch, hooks });
}

/**
 * Ends a failed attempt. If it is over already, only reports usage; problems of this machine are reported to the
 * service.
 */
async function explain(attempt: Attempt, error: unknown): Promise<void> {
  const { journal, heartbeat } = attempt;
  const { aborted: isOver, reason } = heartbeat.signal;
  if (isOver && !(reason instanceof WorktreeTooLarge)) {
    await reportLastUsage(attempt);
    journal.say(reason instanceof AttemptOver ? reason.message : "Stopped: the job is given back");
    return;
  }
  if (error instanceof Refusal && (error.code === 409 || error.code === 404)) {
    // The refusal of a call may arrive before the heartbeat that says the same.
    await reportLastUsage(attempt);
    journal.say(`The attempt is over: ${error.message}`);
    return;
  }
  if (error instanceof RepositoryNotAllowed || error instanceof BranchInUse) {
    return giveBack(attempt, error);
  }
  // Problems only the worker's user can fix are not the job's fault: it is given back when the worker signs off.
  if (error instanceof WorkerProblem) throw error;
  const failure_class = isOver ? "agent_error" : "infrastructure";
  const failure_reason = messageOf(isOver ? reason : error);
  await reportFailure(attempt, { failure_class, failure_reason }).catch((failure: unknown) => {
    if (!(failure instanceof Refusal)) throw failure;
    journal.say(`The failure report was refused: ${failure.message}`);
  });
}

/** Gives the job back, for another worker or until the person has acted. The service pauses it for a while. */
async function giveBack(attempt: Attempt, { message }: Error): Promise<void> {
  await reportFailure(attempt, { failure_class: "rate_limited", failure_reason: message });
}

/** Usage counts even if the attempt was stopped, unless another worker has the job. */
async function reportLastUsage(attempt: Attempt): Promise<void> {
  const options = { retry: false, signal: AbortSignal.timeout(5_000) };
  await reportUsage(attempt, options).catch((error: unknown) => {
    attempt.journal.say(`Usage could not be reported: ${messageOf(error)}`);
  });
}

async function removeNotes({ folder, job }: Pick<Attempt, "folder" | "job">): Promise<void> {
  await rm(notesOf(folder.worktrees, `${job.id}-${job.attempt}`), { recursive: true, force: true });
}

function nameOf(job: JobPayload): string {
  if (job.task !== null && job.kind === "TASK_IMPLEMENTATION") {
    return `${job.task.code} "${job.task.title}"`;
  }
  return job.idea === null
    ? `${job.kind} of ${job.run?.sprint_code ?? job.run?.subject ?? "a sprint"}`
    : job.idea.code;
}
