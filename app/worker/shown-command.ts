import type { Attempt } from "./attempt";
import { logFileOf } from "./log-file";
import { type CommandEnd, runCommand } from "./run-command";

interface ShownCommand {
  kind: "test" | "command";
  title: string;
  command: string;
  folder: string;
  environment: Record<string, string>;
  timeoutMinutes?: number;
}

/** Runs a command of the worker's own, and shows those who watch the job that it begins and how it ended. */
export async function runShown(attempt: Attempt, shown: ShownCommand): Promise<CommandEnd> {
  const { rules, options, heartbeat, output } = attempt;
  const { kind, title, command, folder, environment } = shown;
  const tell = (status: "running" | "done" | "failed", text: string): void =>
    output.add({ kind, title, text, status, at: new Date().toISOString() });
  tell("running", "");
  const end = await runCommand({
    command,
    folder,
    environment: { ...rules.env, ...environment },
    logFile: logFileOf(attempt),
    timeoutMinutes: shown.timeoutMinutes ?? options.timeoutMinutes,
    signal: heartbeat.signal,
    clean: attempt.clean,
  });
  tell(end.exitCode === 0 ? "done" : "failed", end.output);
  heartbeat.signal.throwIfAborted();
  return end;
}
