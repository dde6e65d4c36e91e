import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { noteCommand } from "./orphans";
import { run } from "./run";

export interface Launch {
  program: string;
  args: readonly string[];
  folder: string;
  environment: Record<string, string>;
  /** True if the program's end kills its children at once, so it must be asked to stop first. */
  endsAll?: boolean;
  /** Called once the program has ended for any reason; cleans up what it leaves behind. */
  cleared?: () => Promise<void>;
  /** Why the program was never started, if that is what its end means. */
  startProblem?: (code: number | null, complaints: string) => string | null;
}

/** Wraps a launch so that the program starts inside the sandbox. */
export type Confine = (launch: Launch) => Promise<Launch>;

interface ProcessOptions extends Launch {
  /** Puts it into a sandbox. */
  confine?: Confine | undefined;
  /** Where the process id is stored, for the worker's next start. */
  pidFile?: string | undefined;
  logFile?: string | undefined;
  /** Time it gets to end after it is asked to, if not the usual. */
  graceMilliseconds?: number;
  onOutput: (piece: Buffer) => void;
  /** Called for each chunk of standard error. */
  onComplaint?: (piece: Buffer) => void;
}

export interface RunningProcess {
  stdin: Writable;
  stdout: Readable;
  /** End of its standard error. */
  complaints(): string;
  /** Resolves once the process and its pipes are closed. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): Promise<void>;
}

const keptComplaints = 8_000;
/** Time a program gets to end after it is asked to. */
const graceMilliseconds = 2_000;
/** Time that leftover background processes may keep the pipes open. */
const leftMilliseconds = 5_000;

/** Execs once its process id is stored: if the worker dies before, the shell exits, so nothing runs unrecorded. */
const whenNoted = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

/** Starts a program in its own process group. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const launch = options.confine === undefined ? options : await options.confine(options);
  const child: ChildProcess = spawn("/bin/sh", ["-c", whenNoted, "agent", launch.program, ...launch.args], {
    cwd: launch.folder,
    env: processEnvironment(launch.environment),
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const { stdin, stdout, stderr } = child;
  const gate = child.stdio[3];
  if (stdin === null || stdout === null || stderr === null || !(gate instanceof Writable)) {
    throw new Error("A program was started without its pipes");
  }
  for (const pipe of [stdin, gate]) pipe.on("error", () => undefined);
  const log = openLog(options.logFile);
  const decoder = new StringDecoder("utf8");
  let complaints = "";
  stderr.on("data", (piece: Buffer) => {
    log.write(piece);
    complaints = (complaints + decoder.write(piece)).slice(-keptComplaints);
    options.onComplaint?.(piece);
  });
  stdout.on("data", (piece: Buffer) => {
    log.write(piece);
    options.onOutput(piece);
  });
  const ended = endOf(child)
    .finally(async () => {
      await log.close();
      noteTouched(options.folder, options.confine !== undefined);
      await launch.cleared?.();
    })
    .then((end) => {
      const problem = launch.startProblem?.(end.code, complaints);
      if (problem) throw new Error(`The sandbox did not start: ${problem}`);
      return end;
    });
  // No one has to await it.
  ended.catch(() => undefined);
  await letBegin(gate, child.pid, options.pidFile);
  return {
    stdin,
    stdout,
    complaints: () => complaints.trim(),
    ended,
    stop: () => stopTree(child, ended, launch.endsAll, options.graceMilliseconds),
  };
}

/** Closing the gate without writing makes the waiting shell exit. */
async function letBegin(gate: Writable, pid: number | undefined, pidFile: string | undefined): Promise<void> {
  try {
    if (pidFile !== undefined && pid !== undefined) await noteCommand(pidFile, pid);
    gate.end("go\n");
  } finally {
    if (!gate.writableEnded) gate.destroy();
  }
}

/**
 * Builds the environment of a process. Remix's types require NODE_ENV in every environment, but agents must not get it.
 */
export function processEnvironment(environment: Record<string, string>): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), environment);
}

/** Calls back with each line as it comes. */
export async function eachLine(stdout: Readable, take: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY });
  // A destroyed pipe emits no end, so the reader must be closed here.
  stdout.once("close", () => lines.close());
  for await (const line of lines) take(line);
}

function endOf(child: ChildProcess) {
  return new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("exit", () => {
      const late = setTimeout(() => letGo(child), leftMilliseconds);
      child.once("close", () => clearTimeout(late));
    });
  });
}

/** Background processes keep the pipes open. Kills them, so that no one waits for them. */
function letGo({ pid, stdout, stderr }: ChildProcess): void {
  if (pid !== undefined) signal(-pid, "SIGKILL");
  stdout?.destroy();
  stderr?.destroy();
}

/** Reads the tree first: descendants in other process groups cannot be found once the root is gone. */
export async function stopTree(
  child: ChildProcess,
  ended: Promise<unknown>,
  endsAll = false,
  grace = graceMilliseconds,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const below = await descendantsOf(pid);
  const tree = [pid, ...below];
  const signalAll = (name: NodeJS.Signals): void => {
    const isSpared = endsAll && name === "SIGTERM" && below.length > 0;
    for (const one of isSpared ? below : [-pid, ...tree]) signal(one, name);
  };
  if (child.exitCode === null && child.signalCode === null) {
    signalAll("SIGTERM");
    const until = performance.now() + grace;
    // The root may exit at once while children still write their output.
    do await wait(20);
    while (performance.now() < until && (await isAnyRunning(tree)));
  }
  signalAll("SIGKILL");
  letGo(child);
  await ended.catch(() => undefined);
}

async function descendantsOf(root: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid="]).catch(() => ({ stdout: "" }));
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  for (let index = 0; index < found.length; index += 1) {
    for (const [pid, parent] of pairs) {
      if (parent === found[index] && pid !== undefined && !found.includes(pid)) found.push(pid);
    }
  }
  return found.slice(1);
}

/** Ignores zombies: processes that ended and were not reaped yet. */
async function isAnyRunning(pids: readonly number[]): Promise<boolean> {
  const args = ["-o", "stat=", "-p", pids.join(",")];
  const { stdout } = await run("ps", args).catch(() => ({ stdout: "" }));
  return stdout.split("\n").some((state) => /^\s*[^\sZ]/.test(state));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

interface Log {
  write(piece: Buffer): void;
  close(): Promise<void>;
}

/** If it cannot be written, for example on a full disk, the work continues without it. */
function openLog(file: string | undefined): Log {
  if (file === undefined) return { write: () => undefined, close: async () => undefined };
  const stream = createWriteStream(file, { flags: "a" });
  stream.on("error", () => undefined);
  return {
    write: (piece) => void stream.write(piece),
    async close() {
      stream.end();
      await finished(stream).catch(() => undefined);
    },
  };
}

/** What ran in a folder since git's last call there. */
export interface Traces {
  isTouched: boolean;
  /** True if something has run in it that was confined, so that what is written there must not act outside. */
  isConfined: boolean;
}

const followed = new Map<string, Traces>();

/** Follows what runs in a folder from now on. It counts as touched at first. */
export function followTraces(folder: string): Traces {
  const traces = { isTouched: true, isConfined: false };
  followed.set(folder, traces);
  return traces;
}

export function forgetTraces(folder: string): void {
  followed.delete(folder);
}

/** Notes that a program ran in a folder, so that it is checked before git's next call there. */
function noteTouched(folder: string, isConfined: boolean): void {
  const traces = followed.get(folder);
  if (traces === undefined) return;
  traces.isTouched = true;
  traces.isConfined ||= isConfined;
}
