import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { limitTime } from "../base/interruption";
import { learnSecret } from "../base/options";
import { eachLine, startProcess } from "../base/process";
import { copyAlong } from "../git/rules";
import type { Worktree } from "../git/worktree";
import { type JobSandbox, noSandbox } from "../sandbox/sandbox";
import { type Attempt, type JobLocation, logFileOf } from "./attempt";
import type { ReadResult } from "./turn/result-file";

/** How a command ended. `output` is the end of what it printed. */
export interface CommandEnd {
  /** As a shell says it: 128 + n if signal n ended it. */
  exitCode: number | null;
  output: string;
  /** Like `output`, without standard error. */
  answer: string;
  timedOut: boolean;
}

/** How the command ended and what it reported. */
export interface Outcome extends ReadResult {
  end: CommandEnd;
  /** What an agent was not allowed to do. */
  denied: string[];
  /** Why the job waits for another try: not the work's fault, so no failure. */
  waits?: string | undefined;
}

interface CommandRun {
  command: string;
  folder: string;
  environment: Record<string, string>;
  /** The sandbox it runs in. Omitted only for the user's own commands. */
  sandbox?: JobSandbox | undefined;
  logFile: string;
  timeoutMinutes: number;
  /** Where the process id is stored, for the worker's next start. */
  pidFile?: string;
  /** Called for each line of standard output. */
  takeLine?: (line: string) => void;
  /** Called for each chunk of standard error. */
  takeComplaint?: (piece: string) => void;
  /** Ends the command and everything it started. */
  signal: AbortSignal;
  /** Removes secrets from the result. The log stays on this machine and is not cleaned. */
  clean: (text: string) => string;
}

const keptOutput = 8_000;
const keptAnswer = 20_000;
/** Length of text to clean. A secret cut at its start is not recognized, so the cut lies far before the kept end. */
const heldText = 100_000;

/** Runs a command in a shell and streams its output to the log. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  run.signal.throwIfAborted();
  const output = endOfText(run.clean);
  const answer = endOfText(run.clean);
  // A multi-byte character may be split over two chunks.
  const [outputDecoder, complaintDecoder] = [new StringDecoder("utf8"), new StringDecoder("utf8")];
  const { confine, variables } = run.sandbox ?? noSandbox;
  const started = await startProcess({
    program: "/bin/sh",
    args: ["-c", run.command],
    folder: run.folder,
    environment: { ...variables(), ...run.environment },
    confine,
    pidFile: run.pidFile,
    logFile: run.logFile,
    onOutput: (piece) => {
      const text = outputDecoder.write(piece);
      output.add(text);
      answer.add(text);
    },
    onComplaint: (piece) => {
      const text = complaintDecoder.write(piece);
      output.add(text);
      run.takeComplaint?.(text);
    },
  });
  started.stdin.end();
  const { takeLine } = run;
  const lines = takeLine ? eachLine(started.stdout, takeLine) : Promise.resolve();

  const limit = limitTime(run.timeoutMinutes * 60_000, run.signal);
  const stop = (): void => void started.stop();
  limit.signal.addEventListener("abort", stop, { once: true });
  if (limit.signal.aborted) stop();
  try {
    const [{ code, signal }] = await Promise.all([started.ended, lines]);
    return {
      exitCode: signal === null ? code : 128 + constants.signals[signal],
      output: output.last(keptOutput),
      answer: answer.last(keptAnswer),
      timedOut: limit.isOver(),
    };
  } finally {
    limit.end();
    limit.signal.removeEventListener("abort", stop);
  }
}

/** Keeps the end of the output. */
function endOfText(clean: (text: string) => string) {
  let text = "";
  return {
    add(piece: string): void {
      text = (text + piece).slice(-heldText);
    },
    last: (length: number) => clean(text).slice(-length).trim(),
  };
}

interface ShownCommand {
  kind: "test" | "command";
  title: string;
  command: string;
  environment: Record<string, string>;
  timeoutMinutes?: number;
  /** True for the user's own command that needs their login: runs outside the sandbox, by no rule of the repository. */
  isPersons?: boolean;
}

/** Runs one of the worker's commands and shows its start and end in the job's output. */
export async function runShown(
  attempt: Attempt,
  { folder, rules, sandbox }: JobLocation,
  shown: ShownCommand,
): Promise<CommandEnd> {
  const { options, heartbeat, output } = attempt;
  const { kind, title, command, environment } = shown;
  const show = (status: "running" | "done" | "failed", text: string): void =>
    output.add({ kind, title, text, status, at: new Date().toISOString() });
  show("running", "");
  const end = await runCommand({
    command,
    folder,
    ...(shown.isPersons ? { environment } : { environment: { ...rules.env, ...environment }, sandbox }),
    logFile: logFileOf(attempt),
    timeoutMinutes: shown.timeoutMinutes ?? options.timeoutMinutes,
    signal: heartbeat.signal,
    clean: attempt.clean,
  });
  show(end.exitCode === 0 ? "done" : "failed", end.output);
  heartbeat.signal.throwIfAborted();
  return end;
}

/** Sets up a fresh worktree by the repository's rules. */
export async function setUp(attempt: Attempt, location: JobLocation & Pick<Worktree, "repository">): Promise<void> {
  const { journal, job } = attempt;
  const { rules } = location;
  for (const value of await copyAlong(location, rules)) learnSecret(attempt.options, value);
  if (rules.setup === undefined) return;
  journal.say("Setting up the worktree");
  const end = await runShown(attempt, location, {
    kind: "command",
    title: `Setup: ${rules.setup}`,
    command: rules.setup,
    environment: { BACKLOOM_JOB_ID: job.id },
  });
  if (end.exitCode === 0) return;
  throw new Error(`The setup of .backloom.yml ended with ${end.exitCode}.\n${end.output.slice(-3_000)}`);
}
