import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { noteTouched } from "../git/checkout";
import { noteCommand } from "../job/orphans";
import type { Confine, Launch } from "../sandbox/launch";
import { openLog } from "../service/open-log";

const run = promisify(execFile);

interface ProcessWish extends Launch {
  /** Puts it into a sandbox. */
  confine?: Confine | undefined;
  /** Where the process is noted, for a later life of the worker. */
  pidFile?: string | undefined;
  logFile?: string | undefined;
  /** Called for each piece of its standard output. */
  heard: (piece: Buffer) => void;
  /** Called for each piece of its error stream. */
  complained?: (piece: Buffer) => void;
}

/** A program at work, together with everything that it starts. */
export interface RunningProcess {
  stdin: Writable;
  stdout: Readable;
  /** The end of what it complained about. */
  complaints(): string;
  /** Resolves once it and its pipes are closed. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Asks the whole tree to end, and ends it when it does not. */
  stop(): Promise<void>;
}

const keptComplaints = 8_000;
/** How long a program may take to end by itself once it is told to. */
const graceMilliseconds = 2_000;
/** How long what a program leaves behind in the background may hold its pipes. */
const leftMilliseconds = 5_000;

/** The shell becomes the program when it is told to, and ends when the worker is gone before: nothing runs that nobody has noted. */
const whenNoted = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

/** Starts a program in a process group of its own. */
export async function startProcess(wish: ProcessWish): Promise<RunningProcess> {
  const launch = wish.confine === undefined ? wish : await wish.confine(wish);
  const child: ChildProcess = spawn(
    "/bin/sh",
    ["-c", whenNoted, "agent", launch.program, ...launch.words],
    {
      cwd: launch.folder,
      env: processEnvironment(launch.environment),
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    },
  );
  const { stdin, stdout, stderr } = child;
  const gate = child.stdio[3];
  if (stdin === null || stdout === null || stderr === null || !(gate instanceof Writable)) {
    throw new Error("A program was started without its pipes");
  }
  for (const pipe of [stdin, gate]) pipe.on("error", () => undefined);
  const log = openLog(wish.logFile);
  const decoder = new StringDecoder("utf8");
  let complaints = "";
  stderr.on("data", (piece: Buffer) => {
    log.write(piece);
    complaints = (complaints + decoder.write(piece)).slice(-keptComplaints);
    wish.complained?.(piece);
  });
  stdout.on("data", (piece: Buffer) => {
    log.write(piece);
    wish.heard(piece);
  });
  const ended = endOf(child).finally(async () => {
    await log.close();
    noteTouched(wish.folder);
    await launch.cleared?.();
  });
  // Who waits for it hears of it; nobody has to.
  ended.catch(() => undefined);
  await letBegin(gate, child.pid, wish.pidFile);
  return {
    stdin,
    stdout,
    complaints: () => complaints.trim(),
    ended,
    stop: () => stopTree(child, ended, launch.endsAll),
  };
}

/** Closed without a word the gate ends the shell that waits there. */
async function letBegin(
  gate: Writable,
  pid: number | undefined,
  pidFile: string | undefined,
): Promise<void> {
  try {
    if (pidFile !== undefined && pid !== undefined) await noteCommand(pidFile, pid);
    gate.end("go\n");
  } finally {
    if (!gate.writableEnded) gate.destroy();
  }
}

/** An environment of our own making: the types of Remix want a NODE_ENV in every one, which no agent is to be given. */
export function processEnvironment(environment: Record<string, string>): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), environment);
}

/** Its lines as they come. */
export async function eachLine(stdout: Readable, take: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY });
  // A pipe that is let go has no end that the reader would hear of.
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

/** What a program leaves in the background keeps its pipes open, and nobody shall wait for that. */
function letGo({ pid, stdout, stderr }: ChildProcess): void {
  if (pid !== undefined) signal(-pid, "SIGKILL");
  stdout?.destroy();
  stderr?.destroy();
}

/** What a program has started may sit in a group of its own: the tree is read before its root is gone. */
export async function stopTree(
  child: ChildProcess,
  ended: Promise<unknown>,
  endsAll = false,
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
    const until = performance.now() + graceMilliseconds;
    // Its root may go at once and leave it to others to write down what was said.
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

/** What has ended and whose parent has not asked for it stays in the list, as a zombie. */
async function isAnyRunning(pids: readonly number[]): Promise<boolean> {
  const words = ["-o", "stat=", "-p", pids.join(",")];
  const { stdout } = await run("ps", words).catch(() => ({ stdout: "" }));
  return stdout.split("\n").some((state) => /^\s*[^\sZ]/.test(state));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
