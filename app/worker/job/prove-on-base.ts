import type { ReportedEvidence } from "~/contract/proof";
import { git } from "../git/git";
import { setUp } from "../git/set-up";
import { addTreeAt, baseEnd, type Worktree } from "../git/worktree";
import { messageOf } from "../service/problems";
import type { Attempt } from "./attempt";
import { uninterrupted } from "./interruption";
import { runShown } from "./shown-command";

/** A piece of evidence, and the full command that was run for it. */
export interface Observed {
  line: ReportedEvidence;
  ran: string | undefined;
  /** False if it counts without having failed before the work. */
  isAboutTheWork: boolean;
}

interface Limits {
  minutes: number;
  /** Time after which no further command starts. */
  deadline: number;
}

/** Exit codes by commit and command; other jobs of this worker start at the same commits. */
const known = new Map<string, number>();
const mostKnown = 2_000;

/**
 * Runs passed commands on the main branch's commit at which the work began. A command that passes there too proves
 * nothing. Commands that cannot run there are left open.
 */
export async function compareWithBase(
  attempt: Attempt,
  worktree: Worktree,
  observed: readonly Observed[],
  limits: Limits,
): Promise<ReportedEvidence[]> {
  const passed = observed.filter(
    ({ line, ran, isAboutTheWork }) => isAboutTheWork && ran && line.exit_code === 0,
  );
  const commands = [...new Set(passed.flatMap(({ ran }) => ran ?? []))];
  const ends = await endsOnBase(attempt, worktree, commands, limits);
  return observed.map(({ line, ran, isAboutTheWork }) => {
    const base_exit_code = isAboutTheWork && line.exit_code === 0 ? ends.get(ran ?? "") : undefined;
    return base_exit_code === undefined ? line : { ...line, base_exit_code };
  });
}

async function endsOnBase(
  attempt: Attempt,
  worktree: Worktree,
  commands: readonly string[],
  limits: Limits,
): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  if (commands.length === 0) return ends;
  const head = await git(worktree.folder, "rev-parse", "HEAD");
  const base = await git(worktree.folder, "merge-base", worktree.main, head).catch(() => null);
  if (base === null) return ends;
  const nameOf = (command: string) => `${worktree.repository.folder}\n${base}\n${command}`;
  for (const command of commands) {
    const end = base === head ? 0 : known.get(nameOf(command));
    if (end !== undefined) ends.set(command, end);
  }
  const unknown = commands.filter((command) => !ends.has(command));
  if (unknown.length === 0) return ends;
  for (const [command, end] of await runThere(attempt, worktree, base, unknown, limits)) {
    ends.set(command, end);
    if (known.size >= mostKnown) known.clear();
    known.set(nameOf(command), end);
  }
  return ends;
}

async function runThere(
  attempt: Attempt,
  { repository }: Worktree,
  commit: string,
  commands: readonly string[],
  { minutes, deadline }: Limits,
): Promise<Map<string, number>> {
  const { job, journal } = attempt;
  const ends = new Map<string, number>();
  const name = `${job.id}-${job.attempt}${baseEnd}`;
  const parent = attempt.folder.worktrees;
  const base = await addTreeAt({ repository, parent, name, commit });
  try {
    await setUp(attempt, { repository, folder: base.folder });
    for (const command of commands) {
      if (Date.now() > deadline) break;
      const { exitCode } = await runShown(attempt, {
        kind: "command",
        title: `Before the work: ${command}`,
        command,
        folder: base.folder,
        environment: { BACKLOOM_JOB_ID: job.id },
        timeoutMinutes: minutes,
      });
      ends.set(command, exitCode ?? -1);
    }
  } catch (error) {
    attempt.heartbeat.signal.throwIfAborted();
    journal.say(`Proof was not compared with the state before the work: ${messageOf(error)}`);
  } finally {
    await uninterrupted(base.remove);
  }
  return ends;
}
