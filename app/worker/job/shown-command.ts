import { logFileOf } from "../service/log-file";
import type { Attempt } from "./attempt";
import { type CommandEnd, runCommand } from "./run-command";

interface ShownCommand {
  kind: "test" | "command";
  title: string;
  command: string;
  folder: string;
  environment: Record<string, string>;
  timeoutMinutes?: number;
  /** True for a command in the person's own words that needs their login: it runs outside of the sandbox. */
  isPersons?: boolean;
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
    ...(shown.isPersons ? {} : { confine: attempt.sandbox.confine }),
    logFile: logFileOf(attempt),
    timeoutMinutes: shown.timeoutMinutes ?? options.timeoutMinutes,
    signal: heartbeat.signal,
    clean: attempt.clean,
  });
  tell(end.exitCode === 0 ? "done" : "failed", end.output);
  heartbeat.signal.throwIfAborted();
  return end;
}
