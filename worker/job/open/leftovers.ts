import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { notesEnd } from "../../base/files";
import type { Journal } from "../../base/journal";
import { messageOf, WorkerProblem } from "../../base/problems";
import { isRunning } from "../../base/work-folder";
import { rememberCheckout } from "../../git/checkout";
import { copiedEnd, sourceEnd } from "../../git/copied";
import { git } from "../../git/git";
import { keepWork } from "../../git/kept-branch";
import { forgetPlanning, planningEnd } from "../../git/planning";
import {
  asideEnd,
  baseEnd,
  destinationOf,
  goneEnd,
  noteEnd,
  noteOf,
  removeFolder,
  removeTree,
  takenEnd,
} from "../../git/worktree";
import { takeOver } from "../../sandbox/job-store";
import { isTakenNow, workerHomes } from "./taken";

/** After keeping their work; one that cannot be kept stays. Call it when their processes have ended. */
export async function removeLeftovers(worktrees: string, journal: Journal): Promise<void> {
  const names = await readdir(worktrees).catch(() => []);
  const staying: string[] = [];
  for (const name of names) {
    if (
      [notesEnd, ".git", goneEnd, noteEnd, planningEnd, takenEnd, asideEnd, copiedEnd, sourceEnd].some((end) =>
        name.endsWith(end),
      )
    )
      continue;
    const isTaken = await isTakenNow(join(worktrees, name));
    if (isTaken || !(await isRescued(worktrees, name, journal))) staying.push(name);
  }
  for (const name of await readdir(worktrees).catch(() => [])) {
    const isStaying = staying.some((one) => name === one || name.startsWith(`${one}.`));
    if (!isStaying || name.endsWith(goneEnd)) await removeTree(join(worktrees, name));
  }
}

/** A name for a worktree. One that stayed because its work could not be kept is tried again first. */
export async function freeName(worktrees: string, wanted: string, journal: Journal) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}.${number}`;
    if (await isRescued(worktrees, name, journal)) return name;
  }
}

const removalMilliseconds = 30_000;

/** A report may come before it, and the job be a person's. Fails if a process still works there: two must not write. */
export async function awaitRemoval(workDir: string, jobId: string): Promise<void> {
  const until = performance.now() + removalMilliseconds;
  for (;;) {
    const busy = (await worktreesOf(workDir, jobId)).find(({ isBusy }) => isBusy);
    if (busy === undefined) return;
    if (performance.now() > until) {
      throw new WorkerProblem(`The worker in ${busy.worktrees} has not left the task: take it again in a moment`);
    }
    await wait(100);
  }
}

/** In any worker's folder here: a person's terminal, a killed worker. Call it with a claim of the job. */
export async function keepOfTheDead(workDir: string, jobId: string, journal: Journal) {
  for (const { worktrees, name, isBusy } of await worktreesOf(workDir, jobId)) {
    if (!isBusy) await isRescued(worktrees, name, journal);
  }
}

/** Worktrees of a job on this machine. One is busy while the process lives that made it, unless a person took it. */
async function worktreesOf(workDir: string, jobId: string) {
  const lists = (await workerHomes(workDir)).map(async (home) => {
    const worktrees = join(home, "worktrees");
    const names: string[] = await readdir(worktrees).catch(() => []);
    const noted = names.filter((name) => name.startsWith(`${jobId}-`) && name.endsWith(noteEnd));
    return Promise.all(
      noted.map(async (file) => {
        const name = file.slice(0, -noteEnd.length);
        const note = await noteOf(join(worktrees, name));
        const isTaken = names.includes(`${name}${takenEnd}`);
        const isBusy = !isTaken && (await isRunning(note?.maker ?? ""));
        return { worktrees, name, isBusy };
      }),
    );
  });
  return (await Promise.all(lists)).flat();
}

/** Returns false if the worktree must stay. */
async function isRescued(worktrees: string, name: string, journal: Journal): Promise<boolean> {
  const folder = join(worktrees, name);
  const problem = await rescue(folder, name, journal).catch(messageOf);
  if (problem === null) return true;
  journal.say(`The work in ${folder} could not be kept, and it stays: ${problem}`);
  return false;
}

/** Returns why the folder must stay, or null. */
async function rescue(folder: string, name: string, journal: Journal): Promise<string | null> {
  const hasGit = await isThere(join(folder, ".git"));
  const note = await noteOf(folder);
  if (note === null) return hasGit ? unknownFolder : null;
  // A kill cut short its removal, before which its work was kept.
  const isCut = (await isThere(`${folder}${goneEnd}`)) && !(await isThere(folder));
  if (!isCut && !(await rememberCheckout(folder, note))) return hasGit ? unknownFolder : null;
  if (!isCut && !name.endsWith(baseEnd)) {
    await takeOver(folder);
    const checkout = note.branch?.replace("refs/heads/", "") ?? "";
    await forgetPlanning(folder, checkout);
    const destination = await destinationOf(folder, checkout);
    const kept = await keepWork(folder, { name, checkout, destination, prefix: note.prefix });
    if (kept !== null) journal.say(`The work of an earlier attempt is kept on ${kept}`);
  }
  await removeFolder(note.home, folder);
  if (note.branch !== null) {
    await git(note.home, "update-ref", "-d", note.branch).catch(() => undefined);
  }
  return null;
}

const unknownFolder = "its repository does not know it; check it and remove it yourself";

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
