import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AgentTurn, TurnEnd, TurnOutput } from "./driver";
import { limitIn } from "./limits";
import { eachLine, startProcess } from "./process";

/** How a tool's process ended. */
export interface ToolExit {
  code: number | null;
  signal: string | null;
  complaints: string;
}

/** Understands what a tool prints line by line. */
export interface LineReader {
  take(line: string): void;
  /** What became of the turn, once the tool has ended. Tells the usage as well. */
  end(exit: ToolExit): TurnEnd;
}

/** What is said to a tool on its standard input while it works. */
interface Talk {
  /** Hears each line that the tool prints. */
  take(line: string): void;
  end(): void;
}

interface LineTool {
  title: string;
  program: string;
  words: readonly string[];
  environment?: Record<string, string>;
  /** Says the prompt and what comes later as lines; left out, standard input is the prompt and nothing else. */
  talk?: (stdin: Writable, prompt: string) => Talk;
}

/** The prompt, and the end of the input. A tool that ends before it has read everything is no fault of ours: its end says why. */
function feed(stdin: Writable, promptFile: string): Talk {
  pipeline(createReadStream(promptFile), stdin).catch(() => undefined);
  return { take: () => undefined, end: () => undefined };
}

/** One turn with a tool that takes its prompt on standard input and prints what it does as lines. */
export async function runLineTurn(
  tool: LineTool,
  turn: AgentTurn,
  output: TurnOutput,
  reader: LineReader,
): Promise<TurnEnd> {
  const promptFile = turn.resume?.promptFile ?? turn.promptFile;
  // Read before the tool starts: what it prints while nobody listens for lines is lost, and its end with it.
  const prompt = tool.talk ? await readFile(promptFile, "utf8") : "";
  const started = await startProcess({
    program: tool.program,
    words: tool.words,
    folder: turn.folder,
    environment: { ...turn.environment, ...tool.environment },
    confine: turn.confine,
    pidFile: turn.pidFile,
    logFile: turn.logFile,
    heard: output.heard,
  });
  const stop = (): void => void started.stop();
  turn.signal.addEventListener("abort", stop, { once: true });
  if (turn.signal.aborted) stop();
  let talk: Talk | undefined;
  try {
    const { stdin } = started;
    talk = tool.talk?.(stdin, prompt) ?? feed(stdin, promptFile);
    await eachLine(started.stdout, (line) => {
      talk?.take(line);
      reader.take(line);
    });
    const { code, signal } = await started.ended;
    return reader.end({ code, signal, complaints: started.complaints() });
  } finally {
    talk?.end();
    turn.signal.removeEventListener("abort", stop);
    await started.stop();
  }
}

/** The end of a tool that went away without saying how its turn ended. */
export function crashEnd(title: string, { code, signal, complaints }: ToolExit): TurnEnd {
  if (code === 127) {
    return {
      kind: "failed",
      cause: "missing",
      reason: `${title} is not installed.\n${complaints}`,
    };
  }
  const limit = limitIn(complaints);
  if (limit !== null) return { kind: "limit", ...limit };
  const how = signal === null ? `with ${code}` : `by ${signal}`;
  const reason = `${title} ended ${how} in the middle of its work.\n${complaints}`.trim();
  return { kind: "failed", cause: signal === null ? "crash" : "killed", reason };
}

/** A line as JSON; what is none is for the log only. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
