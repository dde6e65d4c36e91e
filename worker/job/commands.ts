import { lstat } from "node:fs/promises";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { limitTime } from "../base/interruption";
import { learnSecret } from "../base/options";
import { messageOf } from "../base/problems";
import { eachLine, startProcess } from "../base/process";
import { sourceEnd } from "../git/copied";
import { git } from "../git/git";
import { copyShared, isBehindLink, listShared } from "../git/included";
import { mainNameOf } from "../git/remote";
import { copyAlong, type Origin } from "../git/rules";
import type { Worktree } from "../git/worktree";
import { type JobSandbox, noSandbox } from "../sandbox/sandbox";
import { type Attempt, type JobLocation, logFileOf } from "./attempt";
import type { ReadResult } from "./turn/result-file";

/** How a command ended. `output` is the end of what it printed. */
export interface CommandEnd {
  /** As a shell says it: 128 + n if signal n ended it. */
  exitCode: number | null;
  output: string;
  /** Like `output`, without standard error. */
  answer: string;
  timedOut: boolean;
}

/** How the command ended and what it reported. */
export interface Outcome extends ReadResult {
  end: CommandEnd;
  /** What an agent was not allowed to do. */
  denied: string[];
  /** Why the job waits for another try: not the work's fault, so no failure. */
  waits?: string | undefined;
}

interface CommandRun {
  command: string;
  folder: string;
  environment: Record<string, string>;
  /** The sandbox it runs in. Omitted only for the user's own commands. */
  sandbox?: JobSandbox | undefined;
  logFile: string;
  timeoutMinutes: number;
  /** Where the process id is stored, for the worker's next start. */
  pidFile?: string;
  takeLine?: (line: string) => void;
  takeComplaint?: (piece: string) => void;
  signal: AbortSignal;
  /** Removes secrets from the result. The log stays on this machine and is not cleaned. */
  clean: (text: string) => string;
}

const keptOutput = 8_000;
const keptAnswer = 20_000;
/** Length of text to clean. A secret cut at its start is not recognized, so the cut lies far before the kept end. */
const heldText = 100_000;

/** Runs a command in a shell and streams its output to the log. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  run.signal.throwIfAborted();
  const output = endOfText(run.clean);
  const answer = endOfText(run.clean);
  // A multi-byte character may be split over two chunks.
  const [outputDecoder, complaintDecoder] = [new StringDecoder("utf8"), new StringDecoder("utf8")];
  const { confine, variables } = run.sandbox ?? noSandbox;
  const started = await startProcess({
    program: "/bin/sh",
    args: ["-c", run.command],
    folder: run.folder,
    environment: { ...variables(), ...run.environment },
    confine,
    pidFile: run.pidFile,
    logFile: run.logFile,
    onOutput: (piece) => {
      const text = outputDecoder.write(piece);
      output.add(text);
      answer.add(text);
    },
    onComplaint: (piece) => {
      const text = complaintDecoder.write(piece);
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
    const [{ code, signal }] = await Promise.all([started.ended, lines]);
    return {
      exitCode: signal === null ? code : 128 + constants.signals[signal],
      output: output.last(keptOutput),
      answer: answer.last(keptAnswer),
      timedOut: limit.isOver(),
    };
  } finally {
    limit.end();
    limit.signal.removeEventListener("abort", stop);
  }
}

function endOfText(clean: (text: string) => string) {
  let text = "";
  return {
    add(piece: string): void {
      text = (text + piece).slice(-heldText);
    },
    last: (length: number) => clean(text).slice(-length).trim(),
  };
}

interface ShownCommand {
  kind: "test" | "command";
  title: string;
  command: string;
  environment: Record<string, string>;
  timeoutMinutes?: number;
  /** True for the user's own command that needs their login: runs outside the sandbox, by no rule of the repository. */
  isPersons?: boolean;
}

/** Runs one of the worker's commands and shows its start and end in the job's output. */
export async function runShown(
  attempt: Attempt,
  { folder, rules, sandbox }: JobLocation,
  shown: ShownCommand,
): Promise<CommandEnd> {
  const { options, heartbeat, output } = attempt;
  const { kind, title, command, environment } = shown;
  const show = (status: "running" | "done" | "failed", text: string): void => output.add({ kind, title, text, status });
  show("running", "");
  const end = await runCommand({
    command,
    folder,
    ...(shown.isPersons ? { environment } : { environment: { ...rules.env, ...environment }, sandbox }),
    logFile: logFileOf(attempt),
    timeoutMinutes: shown.timeoutMinutes ?? options.timeoutMinutes,
    signal: heartbeat.signal,
    clean: attempt.clean,
  });
  show(end.exitCode === 0 ? "done" : "failed", end.output);
  heartbeat.signal.throwIfAborted();
  return end;
}

type SetUpLocation = JobLocation & Pick<Worktree, "repository" | "branch">;

/** Sets up a fresh worktree by the repository's rules. */
export async function setUp(attempt: Attempt, location: SetUpLocation): Promise<void> {
  const { journal, output, options } = attempt;
  const { rules } = location;
  for (const value of await copyAlong(location, rules)) learnSecret(options, value);
  if (location.sandbox.confine === undefined) {
    const failed = await copyShared(
      (await listShared(location.repository.folder, rules.share)).shared,
      location.folder,
    );
    const title = `Not shared, as this file system copies whole files and nothing is mounted without a sandbox: ${failed.join(", ")}`;
    if (failed.length > 0) output.add({ kind: "note", title, text: "" });
  }
  if (rules.setup === undefined) return;
  const origin = rules.origins.setup;
  const changed = await changedScript(location.folder, origin);
  if (changed !== null) {
    const title = `Not set up: ${changed} is not as the main branch has it`;
    output.add({ kind: "note", title, text: "" });
    return;
  }
  journal.say("Setting up the worktree");
  const end = await runShown(attempt, location, {
    kind: "command",
    title: `Setup: ${origin?.shown ?? rules.setup}`,
    command: rules.setup,
    environment: await setupVariables(attempt.job.id, location, origin),
  });
  if (end.exitCode === 0) return;
  const where = origin?.path ?? ".backloom.yml";
  const text = `The setup of ${where} ended with ${end.exitCode}.\n${end.output.slice(-3_000)}`;
  if (origin === undefined) throw new Error(text);
  // No one has said that it works here: the agent does the work without, and its tests run where it has installed.
  rules.setup = undefined;
  journal.say(text.split("\n", 1)[0] ?? "");
}

/** How long a cleanup may hold up the next job. */
const cleanupMinutes = 0.5;

/** Runs `cleanup` before a worktree goes, however the attempt ended. */
export async function cleanUp(attempt: Attempt, location: SetUpLocation): Promise<void> {
  const { rules, folder, sandbox } = location;
  const origin = rules.origins.cleanup;
  if (rules.cleanup === undefined || (await changedScript(location.folder, origin)) !== null) return;
  const run = {
    command: rules.cleanup,
    folder,
    environment: { ...rules.env, ...(await setupVariables(attempt.job.id, location, origin)) },
    sandbox,
    logFile: logFileOf(attempt),
    timeoutMinutes: cleanupMinutes,
    signal: new AbortController().signal,
    clean: attempt.clean,
  };
  const end = await runCommand(run).catch((error: unknown) => ({ exitCode: null, output: messageOf(error) }));
  if (end.exitCode !== 0) attempt.journal.say(`The cleanup ended with ${end.exitCode}: ${end.output.slice(-500)}`);
}

/** A file that a command of another tool runs by its path, if the work has another one. */
export async function changedScript(folder: string, origin: Origin | undefined): Promise<string | null> {
  for (const { path, id } of origin?.scripts ?? []) {
    const found = await lstat(join(folder, path)).catch(() => null);
    const isFile = found?.isFile() && !(await isBehindLink(folder, path));
    if (!isFile || (await git(folder, "hash-object", "--", path)) !== id) return path;
  }
  return null;
}

/** Where a preview listens: the same in every worktree, as a sandbox shares its network with none. */
const usualPort = 3000;

/** The port to listen on, and nine more for parts of the application: those that `ports` names come first. */
export function portVariables(port: number, further: readonly { port: number }[] = []): Record<string, string> {
  const ports = Array.from({ length: 9 }, (_, at) => String(further[at]?.port ?? port + at + 1));
  const named = ports.map((one, at) => [`BACKLOOM_PORT_${at + 1}`, one]);
  return { PORT: String(port), HOST: "127.0.0.1", BACKLOOM_PORT: String(port), ...Object.fromEntries(named) };
}

/** Variables of set-up, cleanup and preview commands; those of another tool only for what its file says. */
export async function setupVariables(
  id: string,
  { folder, rules, repository, branch }: Omit<SetUpLocation, "sandbox">,
  origin: Origin | undefined,
): Promise<Record<string, string>> {
  const given = typeof rules.preview === "object" ? rules.preview.port : undefined;
  const port = given ?? usualPort;
  const source = `${folder}${sourceEnd}`;
  const hasSource = (await lstat(source).catch(() => null)) !== null;
  const main = (await mainNameOf(repository)) ?? "main";
  return {
    ...portVariables(port, rules.ports),
    ...rules.env,
    ...origin?.environment({ worktree: folder, source, main, name: basename(folder), port }),
    BACKLOOM_JOB_ID: id,
    BACKLOOM_JOB: id,
    BACKLOOM_WORKTREE: folder,
    BACKLOOM_BRANCH: branch,
    ...(hasSource ? { BACKLOOM_SOURCE: source } : {}),
  };
}
