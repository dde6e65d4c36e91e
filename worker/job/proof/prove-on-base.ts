import type { ReportedEvidence } from "~/wire/proof/contract";
import { uninterrupted } from "../../base/interruption";
import { messageOf } from "../../base/problems";
import { git } from "../../git/git";
import { addTreeAt, baseEnd } from "../../git/worktree";
import type { Attempt, Workspace } from "../attempt";
import { runShown, setUp } from "../commands";
import { uploadMade } from "./upload-made";

/** A piece of evidence, and the full command that was run for it. */
export interface Observed {
  line: ReportedEvidence;
  ran: string | undefined;
  path: string | undefined;
  /** False if it counts without having failed before the work. */
  isAboutTheWork: boolean;
}

type Limits = { minutes: number; deadline: number };

/** How a command ended without the work, and the content of the files it made, by path. */
type BaseEnd = { exitCode: number; files?: ReadonlyMap<string, string> };

/** Results by commit and command; other jobs of this worker start at the same commits. */
const known = new Map<string, number>();
const mostKnown = 2_000;

/** A command that passes on main where the work began proves nothing. Those that cannot run there are left open. */
export async function compareWithBase(
  attempt: Attempt,
  workspace: Workspace,
  observed: readonly Observed[],
  limits: Limits,
): Promise<ReportedEvidence[]> {
  const passed = observed.filter(({ line, ran, isAboutTheWork }) => isAboutTheWork && ran && line.exit_code === 0);
  const ends = await endsOnBase(attempt, workspace, passed, limits);
  return observed.map(({ line, ran, path, isAboutTheWork }) => {
    const end = isAboutTheWork && line.exit_code === 0 ? ends.get(ran ?? "") : undefined;
    if (end === undefined) return line;
    const base_file = path === undefined ? undefined : end.files?.get(path);
    return { ...line, base_exit_code: end.exitCode, base_file };
  });
}

async function endsOnBase(
  attempt: Attempt,
  workspace: Workspace,
  passed: readonly Observed[],
  limits: Limits,
): Promise<Map<string, BaseEnd>> {
  const ends = new Map<string, BaseEnd>();
  const commands = [...new Set(passed.flatMap(({ ran }) => ran ?? []))];
  if (commands.length === 0) return ends;
  const head = await git(workspace.folder, "rev-parse", "HEAD");
  const base = await git(workspace.folder, "merge-base", workspace.main, head).catch(() => null);
  if (base === null) return ends;
  const nameOf = (command: string) => `${workspace.repository.folder}\n${base}\n${command}`;
  const showing = new Set(passed.flatMap(({ ran, path }) => (path === undefined ? [] : (ran ?? []))));
  for (const command of commands) {
    const exitCode = base === head ? 0 : known.get(nameOf(command));
    // What shows something is run again: the picture is of this job.
    if (exitCode !== undefined && (base === head || !showing.has(command))) ends.set(command, { exitCode });
  }
  const unknown = commands.filter((command) => !ends.has(command));
  if (unknown.length === 0) return ends;
  const left = passed.filter(({ ran = "" }) => unknown.includes(ran));
  for (const [command, end] of await runThere(attempt, workspace, base, left, limits)) {
    ends.set(command, end);
    if (known.size >= mostKnown) known.clear();
    known.set(nameOf(command), end.exitCode);
  }
  return ends;
}

async function runThere(
  attempt: Attempt,
  workspace: Workspace,
  commit: string,
  passed: readonly Observed[],
  { minutes, deadline }: Limits,
): Promise<Map<string, BaseEnd>> {
  const { job, journal } = attempt;
  const ends = new Map<string, BaseEnd>();
  const commands = new Set(passed.flatMap(({ ran }) => ran ?? []));
  const name = `${job.id}-${job.attempt}${baseEnd}`;
  const parent = attempt.folder.worktrees;
  const { repository } = workspace;
  const base = await addTreeAt({ repository, parent, name, commit });
  const location = { ...workspace, folder: base.folder };
  try {
    await setUp(attempt, location);
    for (const command of commands) {
      if (Date.now() > deadline) break;
      const begun = Date.now();
      const { exitCode } = await runShown(attempt, location, {
        kind: "command",
        title: `Before the work: ${command}`,
        command,
        environment: { BACKLOOM_JOB_ID: job.id },
        timeoutMinutes: minutes,
      });
      const files = await showThere(
        attempt,
        passed.filter(({ ran }) => ran === command),
        { folder: base.folder, since: begun },
      );
      ends.set(command, { exitCode: exitCode ?? -1, files });
    }
  } catch (error) {
    attempt.heartbeat.signal.throwIfAborted();
    journal.say(`Proof was not compared with the state before the work: ${messageOf(error)}`);
  } finally {
    await uninterrupted(base.remove);
  }
  return ends;
}

/** Sends what a command showed without the work. It has failed there, so that nothing may be there to show. */
async function showThere(
  attempt: Attempt,
  observed: readonly Observed[],
  made: { folder: string; since: number },
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { line, path } of observed) {
    if (path === undefined || files.has(path)) continue;
    const criterion = line.story_id === undefined ? {} : { story_id: line.story_id };
    const id = await uploadMade(attempt, { ...made, path, criterion, mayBeMissing: true });
    if (id !== undefined) files.set(path, id);
  }
  return files;
}
