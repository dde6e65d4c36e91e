import { StringDecoder } from "node:string_decoder";
import { eachLine, startProcess } from "./agents/process";
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
    pidFile: run.pidFile,
    logFile: run.logFile,
    heard: (piece) => {
      const text = said.write(piece);
      output.add(text);
      answer.add(text);
    },
    complained: (piece) => output.add(complained.write(piece)),
  });
  started.stdin.end();
  const { takeLine } = run;
  const lines = takeLine ? eachLine(started.stdout, takeLine) : Promise.resolve();

  const timeout = AbortSignal.timeout(run.timeoutMinutes * 60_000);
  const end = AbortSignal.any([run.signal, timeout]);
  const stop = (): void => void started.stop();
  end.addEventListener("abort", stop, { once: true });
  if (end.aborted) stop();
  try {
    const [{ code }] = await Promise.all([started.ended, lines]);
    return {
      exitCode: code,
      output: output.last(keptOutput),
      answer: answer.last(keptAnswer),
      timedOut: timeout.aborted,
    };
  } finally {
    end.removeEventListener("abort", stop);
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
