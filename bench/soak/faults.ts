import { setTimeout as pause } from "node:timers/promises";
import { fillDisk } from "../../tests/setup/small-disk";
import { verdict } from "../streams/statistics";
import { sentences } from "./asking";
import type { Processes } from "./installation";
import type { Project } from "./project";
import { settings, shareWithFaults } from "./settings";

export interface Scene {
  dataDir: string;
  hasOwnDisk: boolean;
  processes: Processes;
  project: Project | undefined;
  postmaster(): number;
}

type Fault = [name: string, isDatabase: boolean, throwIt: (scene: Scene, round: number) => Promise<void>];

const faults: Fault[] = [
  ["the database is killed", true, async ({ postmaster }) => void process.kill(postmaster(), "SIGKILL")],
  [
    "a process of the service is killed, and comes back",
    false,
    async ({ processes }, round) => {
      const n = round % settings.processes;
      await processes.kill(n);
      await processes.startAgain(n);
    },
  ],
  [
    "a process is killed, and comes back with a clock that is an hour fast",
    false,
    (scene) => comeBackWithClock(scene, 3_600),
  ],
  ["the disk is full for 15 seconds", true, fillUp],
  [
    "a process is killed, and comes back with a clock that is an hour slow",
    false,
    (scene) => comeBackWithClock(scene, -3_600),
  ],
  [
    "the database and a process are killed",
    true,
    async ({ postmaster, processes }) => {
      process.kill(postmaster(), "SIGKILL");
      await processes.kill(0);
      await processes.startAgain(0);
    },
  ],
  ["a process is killed, and comes back with the right clock", false, (scene) => comeBackWithClock(scene, 0)],
  ["the pooler is killed, and comes back after three seconds", true, losePooler],
];

/** One after another, evenly over their share of the time, the list as often as fits; each is waited for until all is well. */
export async function throwFaults(scene: Scene, began: number): Promise<void> {
  const time = settings.seconds * 1_000 * shareWithFaults;
  const possible = faults.filter(([, , throwIt]) => isPossible(throwIt, scene));
  const times = settings.faults * possible.length;
  for (let n = 0; n < times; n++) {
    await pause(Math.max(0, began + ((n + 1) * time) / (times + 1) - Date.now()));
    const [name, isDatabase, throwIt] = possible[n % possible.length] ?? [];
    if (name === undefined || throwIt === undefined) continue;
    sentences.clear();
    const thrownAt = performance.now();
    const watch = watchReady(scene.processes, thrownAt);
    await throwIt(scene, n);
    await watch.isWell();
    printLapse(name, watch, isDatabase === true && throwIt !== fillUp);
  }
}

function isPossible(throwIt: Fault[2], { hasOwnDisk, project }: Scene): boolean {
  if (throwIt === losePooler) return project !== undefined;
  if (throwIt !== fillUp || hasOwnDisk) return true;
  console.log("     the disk is not filled: no file system could be made for it (needs root)");
  return false;
}

async function losePooler({ project }: Scene): Promise<void> {
  await project?.killPooler();
  await pause(3_000);
  await project?.startPoolerAgain();
}

async function comeBackWithClock({ processes }: Scene, seconds: number): Promise<void> {
  const last = settings.processes - 1;
  await processes.kill(last);
  await processes.startAgain(last, seconds);
}

/** After a while someone makes room. */
async function fillUp({ dataDir }: Scene): Promise<void> {
  const makeRoom = fillDisk(dataDir);
  await pause(15_000);
  makeRoom();
}

type Watch = ReturnType<typeof watchReady>;

/** Asks each process ten times a second whether it is ready, and says when the first was not and when all were again. */
function watchReady(processes: Processes, thrownAt: number) {
  const seen = { notReadyAfter: Number.NaN, readyAfter: Number.NaN };
  let inRow = 0;
  let isOver = false;
  const poll = async () => {
    while (!isOver) {
      const ready = await Promise.all(processes.origins.map(isReady));
      const after = (performance.now() - thrownAt) / 1_000;
      if (ready.every(Boolean)) {
        if (inRow === 0) seen.readyAfter = after;
        inRow += 1;
      } else {
        if (Number.isNaN(seen.notReadyAfter)) seen.notReadyAfter = after;
        inRow = 0;
      }
      await pause(100);
    }
  };
  const looking = poll();
  return {
    seen,
    async isWell() {
      // Ten seconds without a lapse; the answer of a process may be a second old.
      inRow = 0;
      while (inRow < 100) await pause(100);
      isOver = true;
      await looking;
    },
  };
}

async function isReady(origin: string): Promise<boolean> {
  const signal = AbortSignal.timeout(5_000);
  const answer = await fetch(`${origin}/api/ready`, { signal }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.ok ?? false;
}

function printLapse(name: string, { seen }: Watch, isDatabase: boolean): void {
  const { notReadyAfter, readyAfter } = seen;
  const lapse = Number.isNaN(notReadyAfter)
    ? "always ready"
    : `not ready after ${notReadyAfter.toFixed(1)} s, all ready after ${readyAfter.toFixed(1)} s`;
  console.log(`     ${name}: ${lapse}`);
  if (isDatabase && !Number.isNaN(notReadyAfter)) {
    console.log(verdict(`${name}: seconds until ready says so`, notReadyAfter, 3, "lower"));
  }
  for (const [sentence, count] of sentences) console.log(`       ${count} x ${sentence}`);
}
