import { type Attempt, logFileOf } from "./attempt";
import { copyAlong } from "./rules";
import { runCommand } from "./run-command";
import type { Worktree } from "./worktree";

/** Makes a fresh worktree ready for work, as the repository says. */
export async function setUp(attempt: Attempt, worktree: Worktree): Promise<void> {
  const { rules, options, journal, heartbeat, job } = attempt;
  await copyAlong(worktree, rules);
  if (rules.setup === undefined) return;
  journal.say("Setting up the worktree");
  const end = await runCommand({
    command: rules.setup,
    folder: worktree.folder,
    environment: { ...rules.env, BACKLOOM_JOB_ID: job.id },
    logFile: logFileOf(attempt),
    timeoutMinutes: options.timeoutMinutes,
    signal: heartbeat.signal,
  });
  heartbeat.signal.throwIfAborted();
  if (end.exitCode === 0) return;
  throw new Error(
    `The setup of .backloom.yml ended with ${end.exitCode}.\n${end.output.slice(-3_000)}`,
  );
}
