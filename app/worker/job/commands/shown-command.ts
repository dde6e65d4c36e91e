import type { Attempt } from "../attempt";
import { logFileOf } from "../attempt";
import { type CommandEnd, runCommand } from "./run-command";

interface ShownCommand {
  kind: "test" | "command";
  title: string;
  command: string;
  folder: string;
  environment: Record<string, string>;
  timeoutMinutes?: number;
  /** True for the user's own command that needs their login: runs outside the sandbox, by no rule of the repository. */
  isPersons?: boolean;
}

/** Runs one of the worker's commands and shows its start and end in the job's output. */
export async function runShown(attempt: Attempt, shown: ShownCommand): Promise<CommandEnd> {
  const { rules, options, heartbeat, output } = attempt;
  const { kind, title, command, folder, environment } = shown;
  const tell = (status: "running" | "done" | "failed", text: string): void =>
    output.add({ kind, title, text, status, at: new Date().toISOString() });
  tell("running", "");
  const end = await runCommand({
    command,
    folder,
    ...(shown.isPersons
      ? { environment }
      : { environment: { ...rules.env, ...environment }, sandbox: attempt.sandbox }),
    logFile: logFileOf(attempt),
    timeoutMinutes: shown.timeoutMinutes ?? options.timeoutMinutes,
    signal: heartbeat.signal,
    clean: attempt.clean,
  });
  tell(end.exitCode === 0 ? "done" : "failed", end.output);
  heartbeat.signal.throwIfAborted();
  return end;
}
