import { rm } from "node:fs/promises";
import type { JobPayload } from "~/wire/workers/contract";
import { RepositoryNotAllowed } from "../base/allowed-repositories";
import { notesOf } from "../base/files";
import { interruptible, uninterrupted } from "../base/interruption";
import { endLeftRunning } from "../base/orphans";
import { AttemptOver, messageOf, Refusal, TakenOver, WorkerProblem } from "../base/problems";
import { sendable } from "../base/sendable";
import { reportFilesTo } from "../git/checkout";
import type { Reference } from "../git/references";
import { BranchInUse } from "../git/remote";
import type { Sandbox } from "../sandbox/sandbox";
import type { Attempt, Workspace } from "./attempt";
import { workOnBatch } from "./batch-job";
import { workOnChat } from "./chat-job";
import { cleanUp } from "./commands";
import { type JobRun, openAttempt, openWorkspace, prepare } from "./open/open-attempt";
import { openReferences } from "./open/read-references";
import { removeLargeFiles, WorktreeTooLarge, watchDisk } from "./open/watch-disk";
import { reportFailure, returnJob } from "./report/reports";
import { tellChanges } from "./report/tell-changes";
import { reportTotals } from "./report/usage";
import { workOnTask } from "./task-job";
import { verifyWork } from "./verify-job";

/** Works on a job from claim to report. Always removes its worktree. */
export async function runJob(run: JobRun): Promise<void> {
  const { job, journal } = run;
  const attempt = openAttempt(run);
  const { heartbeat, output } = attempt;
  journal.say(`Claimed ${nameOf(job)} (attempt ${job.attempt})`);
  try {
    await interruptible(heartbeat.signal, () => work(attempt, run.sandboxes));
  } catch (error) {
    await explain(attempt, error);
  } finally {
    heartbeat.end();
    await output.close();
    await removeNotes(attempt);
  }
}

async function work(opened: Attempt, sandboxes: Sandbox): Promise<void> {
  if (opened.job.kind === "PLAN_CHAT") return workOnChat(opened, sandboxes);
  const worktree = await prepare(opened);
  opened.keeper.begin(worktree);
  const reported = new Set<string>();
  reportFilesTo(worktree.folder, (what, names) => {
    // What is left out of one commit is there at the next one too.
    const news = names.filter((name) => !reported.has(`${what} ${name}`));
    for (const name of news) reported.add(`${what} ${name}`);
    if (news.length > 0) reportFiles(opened, what, news);
  });
  const disk = watchDisk(worktree.folder, opened.options.diskGigabytes, opened.heartbeat);
  const attempt = { ...opened, heartbeat: disk.heartbeat };
  let workspace: Workspace | null = null;
  let references: Reference[] = [];
  const telling = tellChanges(attempt, worktree);
  try {
    references = await openReferences(attempt, worktree.folder);
    workspace = { ...(await openWorkspace(attempt, sandboxes, worktree)), references };
    if (attempt.job.phase === "verify") {
      await verifyWork(attempt, workspace);
    } else if (attempt.job.kind === "SPRINT_IMPLEMENTATION") {
      await workOnBatch(attempt, workspace);
    } else await workOnTask(attempt, workspace);
  } catch (error) {
    disk.end();
    if (attempt.heartbeat.signal.reason instanceof WorktreeTooLarge) {
      await removeLargeFiles(worktree.folder, attempt.options.diskGigabytes);
    }
    await explain(attempt, error);
  } finally {
    disk.end();
    await uninterrupted(async () => {
      await telling;
      await endLeftRunning(attempt.job.id);
      await sayWhatIsKept(attempt);
      const changed = (await Promise.all(references.map(({ remove }) => remove()))).flat();
      if (changed.length > 0)
        reportFiles(attempt, "Changed in repositories that are only for reading, and dropped", changed);
      await attempt.changes.sendLast();
      if (workspace !== null && attempt.keeper.leftIn() === null) await cleanUp(attempt, workspace);
      await attempt.keeper.removeWorktree();
    }).finally(async () => workspace?.sandbox.close());
  }
}

function reportFiles({ journal, output }: Attempt, title: string, names: readonly string[]): void {
  const text = sendable(names.slice(0, 20).join("\n"), 2_000);
  journal.say(`${title} (${sendable(names.slice(0, 3).join(", "), 300)})`);
  output.add({ kind: "note", title, text });
}

async function sayWhatIsKept(attempt: Attempt): Promise<void> {
  const branch = await attempt.keeper.keep();
  if (branch !== null) attempt.journal.say(`Undelivered work is kept on ${branch}`);
  const left = attempt.keeper.leftIn();
  if (left === null) return;
  reportFiles(attempt, "The worktree stays, as its work could not be kept", [left]);
}

/** If the attempt is over already, only its usage; problems of this machine are reported to the service. */
async function explain(attempt: Attempt, error: unknown): Promise<void> {
  const { journal, heartbeat } = attempt;
  const { aborted: isOver, reason } = heartbeat.signal;
  if (reason instanceof TakenOver) return handOver(attempt, reason);
  if (isOver && !(reason instanceof WorktreeTooLarge)) {
    await reportLastUsage(attempt);
    journal.say(reason instanceof AttemptOver ? reason.message : "Stopped: the job returns to the queue");
    return;
  }
  if (error instanceof Refusal && (error.code === 409 || error.code === 404)) {
    // The refusal of a call may arrive before the heartbeat that says the same.
    await reportLastUsage(attempt);
    journal.say(`The attempt is over: ${error.message}`);
    return;
  }
  if (error instanceof RepositoryNotAllowed || error instanceof BranchInUse) {
    // For another worker, or until the person has acted.
    return reportFailure(attempt, { failure_reason: error.message });
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

async function handOver(attempt: Attempt, { message }: TakenOver): Promise<void> {
  await reportLastUsage(attempt);
  await attempt.output.flush();
  await returnJob(attempt, (await attempt.keeper.keep()) ?? undefined);
  attempt.journal.say(message);
}

/** Usage counts even if the attempt was stopped, unless another worker has the job. */
async function reportLastUsage(attempt: Attempt): Promise<void> {
  const options = { retry: false, signal: AbortSignal.timeout(5_000) };
  await reportTotals(attempt, options).catch((error: unknown) => {
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
  return job.idea === null ? `${job.kind} of ${job.run?.sprint_code ?? job.run?.subject ?? "a sprint"}` : job.idea.code;
}
