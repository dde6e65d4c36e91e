import { StringDecoder } from "node:string_decoder";
import { eachLine, startProcess } from "../agents/process";
import type { Confine } from "../sandbox/launch";
import { limitTime } from "../service/time-limit";
import { personsVariables } from "./environment";

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
  /** Puts it into the sandbox of the job; left out only for the person's own commands. */
  confine?: Confine | undefined;
  logFile: string;
  timeoutMinutes: number;
  /** Where the process is noted, for a later life of the worker. */
  pidFile?: string;
  /** Called with each line of its standard output. */
  takeLine?: (line: string) => void;
  /** Called with what it says on its error stream, piece by piece. */
  takeComplaint?: (piece: string) => void;
  /** Ends the command together with everything that it has started. */
  signal: AbortSignal;
  /** Takes secrets out of what is answered; the log stays on this machine and has all of it. */
  clean: (text: string) => string;
}

const keptOutput = 8_000;
const keptAnswer = 20_000;
/** As much as is cleaned: a secret that is cut off at its begin is known no more, so the cut lies far from what is answered. */
const heldText = 100_000;

/** Runs a command of the user in a shell; its output streams into the log. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  run.signal.throwIfAborted();
  const output = endOfText(run.clean);
  const answer = endOfText(run.clean);
  // A letter of several bytes may come in two pieces.
  const [said, complained] = [new StringDecoder("utf8"), new StringDecoder("utf8")];
  const started = await startProcess({
    program: "/bin/sh",
    words: ["-c", run.command],
    folder: run.folder,
    environment: { ...personsVariables(), ...run.environment },
    confine: run.confine,
    pidFile: run.pidFile,
    logFile: run.logFile,
    heard: (piece) => {
      const text = said.write(piece);
      output.add(text);
      answer.add(text);
    },
    complained: (piece) => {
      const text = complained.write(piece);
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
    const [{ code }] = await Promise.all([started.ended, lines]);
    return {
      exitCode: code,
      output: output.last(keptOutput),
      answer: answer.last(keptAnswer),
      timedOut: limit.isOver(),
    };
  } finally {
    limit.end();
    limit.signal.removeEventListener("abort", stop);
  }
}

/** Keeps the end of what is printed. */
function endOfText(clean: (text: string) => string) {
  let text = "";
  return {
    add(piece: string): void {
      text = (text + piece).slice(-heldText);
    },
    last: (length: number) => clean(text).slice(-length).trim(),
  };
}
