import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { eachLine } from "./agents/process";
import { personsEnvironment } from "./environment";
import { noteCommand } from "./orphans";

/** How a command ended. `output` is the end of what it printed. */
export interface CommandEnd {
  exitCode: number | null;
  output: string;
  /** The same without what it said beside it, on its error stream. */
  answer: string;
  timedOut: boolean;
}

interface CommandRun {
  command: string;
  folder: string;
  environment: Record<string, string>;
  logFile: string;
  timeoutMinutes: number;
  /** Where the process is noted, for a later life of the worker. */
  pidFile?: string;
  /** Called with each line of its standard output. */
  takeLine?: (line: string) => void;
  /** Ends the command together with everything that it has started. */
  signal: AbortSignal;
  /** Takes secrets out of what is answered; the log stays on this machine and has all of it. */
  clean: (text: string) => string;
}

const keptOutput = 8_000;
const keptAnswer = 20_000;
/** As much as is cleaned: a secret that is cut off at its begin is known no more, so the cut lies far from what is answered. */
const heldText = 100_000;
/** How long a command may take to end by itself once it is told to. */
const graceMilliseconds = 5_000;

/** The shell goes on with the command when it is told to, and not at all when the worker is gone before. */
const whenNoted = "read -r _ <&3 || exit 125; exec 3<&-";

/**
 * Runs a command of the user in a shell of its own process group; its output streams into the log. It begins when its process
 * is noted, so that whatever outlives the worker can be found.
 */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  run.signal.throwIfAborted();
  const log = createWriteStream(run.logFile, { flags: "a" });
  const child = spawn(`${whenNoted}\n${run.command}`, {
    cwd: run.folder,
    env: { ...personsEnvironment(), ...run.environment },
    shell: true,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let output = "";
  let answer = "";
  const take = (chunk: Buffer): void => {
    log.write(chunk);
    output = (output + chunk.toString("utf8")).slice(-heldText);
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    take(chunk);
    answer = (answer + chunk.toString("utf8")).slice(-heldText);
  });
  child.stderr?.on("data", take);
  const { takeLine } = run;
  const lines = takeLine && child.stdout ? eachLine(child.stdout, takeLine) : Promise.resolve();
  const gate = gateOf(child);

  const timeout = AbortSignal.timeout(run.timeoutMinutes * 60_000);
  const end = AbortSignal.any([run.signal, timeout]);
  const stop = (): void => stopGroup(child.pid);
  end.addEventListener("abort", stop, { once: true });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  try {
    if (run.pidFile && child.pid) await noteCommand(run.pidFile, child.pid);
    gate?.end("go\n");
    const exitCode = await closed;
    await lines;
    const endOf = (text: string, length: number) => run.clean(text).slice(-length).trim();
    return {
      exitCode,
      output: endOf(output, keptOutput),
      answer: endOf(answer, keptAnswer),
      timedOut: timeout.aborted,
    };
  } finally {
    end.removeEventListener("abort", stop);
    gate?.destroy();
    log.end();
    await finished(log);
  }
}

/** What the shell waits for; closed without a word it ends. */
function gateOf({ stdio }: ChildProcess): Writable | undefined {
  const gate = stdio[3];
  if (!(gate instanceof Writable)) return undefined;
  // The command may have been stopped meanwhile.
  gate.on("error", () => undefined);
  return gate;
}

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  setTimeout(() => signalGroup(pid, "SIGKILL"), graceMilliseconds).unref();
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The group has ended.
  }
}
