import { join, sep } from "node:path";
import { z } from "zod";
import { driverFor } from "../agents/catalog";
import { personsVariables } from "../base/environment";
import { interruptible } from "../base/interruption";
import { learnSecret, readWorkDir } from "../base/options";
import { AttemptOver, messageOf, Refusal, WorkerProblem } from "../base/problems";
import { openWorkFolder } from "../base/work-folder";
import { rememberCheckout } from "../git/checkout";
import { copiedInto } from "../git/copied";
import { git } from "../git/git";
import { openRepositoryOf } from "../git/repository";
import { noRules } from "../git/rules";
import { contextFolder, noteOf, removerOf, type Worktree } from "../git/worktree";
import type { Attempt, Workspace } from "../job/attempt";
import { openAttempt, openWorkspace } from "../job/open/open-attempt";
import { aloneWith, listTaken, type Taken } from "../job/open/taken";
import { returnJob } from "../job/report/reports";
import { reportUsage } from "../job/report/usage";
import { handIn } from "../job/task-job";
import { taskAssignment } from "../job/turn/assignment";
import { readResult } from "../job/turn/result-file";
import { takeOver } from "../sandbox/job-store";
import type { Sandbox } from "../sandbox/sandbox";
import { returnSession } from "./lend-session";
import { type Hand, openHand, splitHandArgs } from "./open-hand";

/** give: commits, proves and hands in what a person did; give --back returns it to the agents. */
export async function give(args: readonly string[], stopSignal: AbortSignal): Promise<void> {
  const { task, rest, hasFlag } = splitHandArgs(args, "--back");
  const found = await findTaken(readWorkDir(rest), task);
  const hand = await openHand(rest, stopSignal, found.service);
  requireSandbox(hand.sandboxes, found);
  await aloneWith(found, (taken) => giveTaken(hand, taken, hasFlag));
}

async function giveTaken(hand: Hand, taken: Taken, isBack: boolean): Promise<void> {
  const options = { ...hand.options, repo: hand.options.repo ?? taken.repo };
  const folder = await openWorkFolder(options.workDir, taken.home, `${options.name} terminal`);
  const attempt = openAttempt({ ...hand, options, job: taken.job, folder });
  attempt.tally.sessionId = taken.sessionId;
  try {
    const worktree = await openWorktree(attempt, taken);
    for (const value of (await copiedInto(worktree.folder))?.values ?? []) learnSecret(options, value);
    attempt.keeper.begin(worktree);
    attempt.changes.begin(worktree.folder, taken.work.base, noRules);
    await requireHeld(attempt);
    await noteUsage(attempt, taken);
    const { signal } = attempt.heartbeat;
    if (isBack) {
      await returnSession(taken, taken.lent ?? []);
      await giveBack(attempt, worktree, taken);
    } else await interruptible(signal, () => handInByHand(attempt, worktree, taken, hand.sandboxes));
  } finally {
    attempt.heartbeat.end();
    await attempt.output.close();
    await hand.service.close();
  }
}

/** Finds the named task, the one whose folder the person is in, or the only one. */
async function findTaken(workDir: string, task: string | undefined): Promise<Taken> {
  const named = (await listTaken(workDir)).filter(
    ({ job }) => task === undefined || job.task?.code === task.toUpperCase(),
  );
  const here = `${process.cwd()}${sep}`;
  const inside = named.filter(({ worktree }) => here.startsWith(`${worktree.folder}${sep}`));
  const [only, another] = inside.length > 0 ? inside : named;
  if (only === undefined) {
    throw new WorkerProblem("Nothing to give here: take a task first, with take T-42");
  }
  if (another === undefined) return only;
  const codes = named.map(({ job }) => job.task?.code).join(", ");
  throw new WorkerProblem(`You have ${codes}: name one, or go into its folder`);
}

/** The service has noted a sandbox for the attempt, so the proof must run in one. */
function requireSandbox({ confinement }: Sandbox, taken: Taken): void {
  if (taken.confinement === "none" || confinement !== "none") return;
  throw new WorkerProblem(
    "The task was taken with a sandbox, and its tests and proof run in one: call give without --sandbox off, where bubblewrap works",
  );
}

async function openWorktree({ job, options, folder }: Attempt, taken: Taken): Promise<Worktree> {
  const worktree = taken.worktree;
  const note = await noteOf(worktree.folder);
  if (note === null || !(await rememberCheckout(worktree.folder, note))) {
    throw new WorkerProblem(`${worktree.folder} has lost its repository`);
  }
  // A give that was killed may have left what its tests wrote.
  await takeOver(worktree.folder);
  const repository = await openRepositoryOf(job, options, folder);
  return { ...worktree, repository, remove: removerOf(repository, worktree.folder, worktree.checkout) };
}

/** A person who lost the job keeps the work, and reads where it is. */
async function requireHeld(attempt: Attempt): Promise<void> {
  try {
    await attempt.heartbeat.confirm();
  } catch (error) {
    if (!(error instanceof AttemptOver || error instanceof Refusal)) throw error;
    const kept = await attempt.keeper.keep();
    await attempt.keeper.removeWorktree();
    const where = attempt.keeper.leftIn() ?? (kept === null ? "delivered before" : `kept on ${kept}`);
    throw new WorkerProblem(`You no longer have this job: ${error.message} Your work is ${where}.`);
  }
}

async function handInByHand(attempt: Attempt, worktree: Worktree, taken: Taken, sandboxes: Sandbox): Promise<void> {
  const workspace = await openWorkspace(attempt, sandboxes, worktree);
  const missing = await handInFrom(attempt, workspace, taken).finally(workspace.sandbox.close);
  if (missing !== undefined) {
    throw new WorkerProblem(`Not handed in, and still yours: ${missing}`);
  }
  await attempt.changes.sendLast();
  const kept = await attempt.keeper.keep();
  if (kept !== null) attempt.journal.say(`Undelivered work is kept on ${kept}`);
  await attempt.keeper.removeWorktree();
}

/** Returns what is missing. */
async function handInFrom(attempt: Attempt, workspace: Workspace, { work, resolution }: Taken) {
  const assignment = { ...taskAssignment(attempt.job, workspace), resolution };
  const file = join(workspace.folder, contextFolder, "result.json");
  const { result: left, leftOut, fault } = await readResult(file, attempt);
  if (fault !== undefined) return fault;
  const { summary = "Done by hand.", verify_result, evidence, guide, lessons, follow_ups } = left;
  const end = { exitCode: 0, output: "", answer: summary, timedOut: false };
  const result = { summary, verify_result, evidence, guide, lessons, follow_ups };
  const outcome = { end, result, denied: [], leftOut };
  return handIn(attempt, workspace, work, { assignment, outcome, isLast: true, isByHand: true });
}

/** The next agent hears who worked on it, with the changed files, in the same conversation. */
async function giveBack(attempt: Attempt, worktree: Worktree, { work }: Taken): Promise<void> {
  const { job, service, journal } = attempt;
  const kept = await attempt.keeper.keep();
  if (attempt.keeper.leftIn() !== null) throw new WorkerProblem("The work could not be kept, so it stays yours");
  await attempt.changes.send();
  const stat = await git(worktree.folder, "diff", "--stat=100", `${work.base}..HEAD`);
  const body = `I worked on this by hand and return it. Continue from what is there.\n\n${stat || "Nothing changed."}`;
  const message = { body: body.slice(0, 4_000), send_to_agent: true };
  await service
    .post(`/api/tasks/${job.task_id}/comments`, message, z.unknown())
    .catch((error: unknown) => journal.say(`The agent got no message: ${messageOf(error)}`));
  await returnJob(attempt, kept ?? undefined);
  await worktree.remove();
  journal.say(`${job.task?.code ?? "The job"} is with the agents again`);
}

/** Reports usage of the tool since then, from its record. */
async function noteUsage(attempt: Attempt, { agent, sessionId, since, worktree }: Taken) {
  if (agent === null || sessionId === null) return;
  const environment = personsVariables();
  const tool = await driverFor(agent, undefined, environment)
    .then((driver) => driver.find(environment))
    .catch(() => null);
  const context = { environment, folder: worktree.folder };
  const used = await tool?.recorded?.(context, sessionId, since).catch(() => null);
  if (used) await reportUsage(attempt, used);
}
