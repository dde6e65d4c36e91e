import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eachLine, startProcess } from "../base/process";
import type { AgentTurn, TurnEnd, TurnOutput } from "./driver";
import { limitIn } from "./limits";

/** How a tool's process ended. */
export type ToolExit = { code: number | null; signal: string | null; complaints: string };

export interface LineReader {
  take(line: string): void;
  /** Called when the tool has ended: reports usage and returns how the turn ended. */
  end(exit: ToolExit): TurnEnd;
}

/** Writes to a tool's standard input while it works. */
interface Talk {
  take(line: string): void;
  end(): void;
}

interface LineTool {
  title: string;
  program: string;
  args: readonly string[];
  environment?: Record<string, string>;
  /** Sends the prompt and later messages as lines. Without it, standard input is just the prompt. */
  talk?: (stdin: Writable, prompt: string) => Talk;
}

/** Pipes the prompt and closes the input. Errors are ignored: a tool that ends early says why in its exit. */
function feed(stdin: Writable, promptFile: string): Talk {
  pipeline(createReadStream(promptFile), stdin).catch(() => undefined);
  return { take: () => undefined, end: () => undefined };
}

/** Runs one turn with a tool that reads its prompt from standard input and prints lines. */
export async function runLineTurn(
  tool: LineTool,
  turn: AgentTurn,
  output: TurnOutput,
  reader: LineReader,
): Promise<TurnEnd> {
  const promptFile = turn.resume?.promptFile ?? turn.promptFile;
  // Read before the tool starts: output printed before anyone reads lines would be lost, including its end.
  const prompt = tool.talk ? await readFile(promptFile, "utf8") : "";
  const started = await startProcess({
    program: tool.program,
    args: tool.args,
    folder: turn.folder,
    environment: { ...turn.environment, ...tool.environment },
    confine: turn.confine,
    pidFile: turn.pidFile,
    logFile: turn.logFile,
    onOutput: output.alive,
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

/** End of a turn whose tool exited without reporting one. */
export function crashEnd(title: string, exit: ToolExit): TurnEnd {
  const { code, complaints } = exit;
  const signal = exit.signal ?? signalOf(code);
  if (code === 127) {
    return { kind: "failed", cause: "missing", reason: `${title} is not installed.\n${complaints}` };
  }
  const limit = limitIn(complaints);
  if (limit !== null) return { kind: "limit", ...limit };
  const how = signal === null ? `with ${code}` : `by ${signal}`;
  const reason = `${title} ended ${how} in the middle of its work.\n${complaints}`.trim();
  return { kind: "failed", cause: signal === null ? "crash" : "killed", reason };
}

/** Sandboxes and shells end with 128 + n when signal n ends their program. */
export function signalOf(code: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => number + 128 === code);
  return found?.[0] ?? null;
}

/** Parses a line as JSON; null if it is not. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
