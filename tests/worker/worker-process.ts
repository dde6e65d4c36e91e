import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, inject } from "vitest";
import { bundleWorkerFile } from "../../app/cli/build.mjs";
import { identityOf } from "../../supabase/embedded/postgres/process-identity";
import { projectRoot } from "../../supabase/embedded/project-root";

export interface WorkerProcess {
  process: ChildProcess;
  output(): string;
  /** Resolves as soon as it has printed a matching line. */
  said(pattern: RegExp): Promise<string>;
  ended: Promise<number | null>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** The worker as people download it, one file: built once for all files of tests that this process runs. */
const folder = mkdtempSync(join(inject("runFolder"), "worker-"));
await bundleWorkerFile(folder);
export const workerFile = join(folder, "backloom-worker.mjs");

/** With `npm run test:mac`, workers find neither Linux nor /proc. */
const withoutLinux =
  process.env.WORKER_PLATFORM === "darwin" ? ["--import", new URL("./without-linux.mjs", import.meta.url).href] : [];

/** The agent of the tests, which works and ends as its variables say. */
export const fakeAgent = fileURLToPath(new URL("../agents/fake-agent.mjs", import.meta.url));

const started: { child: ChildProcess; ended: Promise<unknown> }[] = [];

/** That agent with its own home, where it reads how this attempt is to end. */
export function endingAgent(home: string, product: string, ending: string): string {
  const own = join(home, product);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "ending"), ending);
  return `acp:HOME="${own}" exec "${process.execPath}" "${fakeAgent}"`;
}

/** Ends every worker that still runs. They are asked to, not killed, so that what they have started ends too. */
export async function endWorkers(): Promise<void> {
  const ending = started.splice(0);
  for (const { child } of ending) child.kill("SIGTERM");
  await Promise.all(ending.map(({ ended }) => ended));
}

/**
 * Starts the real worker as its own process; it is ended when the file is over, with the file's folder (`makeHome`). Commands of
 * tests look around on this machine: they run in a sandbox only where that is what is tested.
 */
export function startWorker(
  args: readonly string[],
  environment: Record<string, string> = {},
  person: { uid?: number; program?: string } = {},
): WorkerProcess {
  const sandbox = args.includes("--sandbox") ? [] : ["--sandbox", "off"];
  const child = spawn(process.execPath, [...withoutLinux, person.program ?? workerFile, ...args, ...sandbox], {
    cwd: person.uid === undefined ? projectRoot : "/",
    ...(person.uid === undefined ? {} : { uid: person.uid, gid: person.uid }),
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
  });
  return follow(child);
}

/** What a process prints, and its end. It is ended when the file is over. */
export function follow(child: ChildProcessByStdio<Writable | null, Readable, Readable>): WorkerProcess {
  let output = "";
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString("utf8");
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  // Not when it exits: its last words may still be in the pipe.
  const ended = once(child, "close").then(() => child.exitCode);
  started.push({ child, ended });

  const said = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(output);
        if (!match) return;
        listeners.delete(check);
        resolve(match[0]);
      };
      listeners.add(check);
      void ended.then(() => {
        check();
        reject(new Error(`The worker ended:\n${output}`));
      });
      check();
    });
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { process: child, output: () => output, said, ended, end };
}

/** What a worker printed that ended in order. */
export async function endOf(worker: WorkerProcess): Promise<string> {
  expect(await worker.ended, worker.output()).toBe(0);
  return worker.output();
}

/** Whether a process of this machine still runs; one that is dead and only not yet collected does not. */
export function isAlive(pid: number): boolean {
  return identityOf(pid) !== null;
}

/** The processes of a preview, by what their environment says. */
export const processesOf = (id: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(`BACKLOOM_PREVIEW=${id}`))
    .map(Number);

/** What is in a file; nothing while there is none. */
export function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
