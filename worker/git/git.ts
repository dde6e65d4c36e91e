import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { personsEnvironment } from "../base/environment";
import { interruption, uninterrupted } from "../base/interruption";
import { stopTree } from "../base/process";
import { run, succeeds } from "../base/run";
import { cleanGitFiles, gitStart, reporterOf, takeMending } from "./checkout";
import { freshIndex } from "./fresh-index";

/** Runs git in a folder without prompts and returns its output. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await gitOutput(folder, args)).trim();
}

/** Paths listed by git. Uses -z, as git would quote non-ASCII names. */
export async function gitPaths(folder: string, ...args: readonly string[]): Promise<string[]> {
  const output = await gitOutput(folder, [...args, "-z"]);
  return output.split("\0").filter((path) => path !== "");
}

/** The files in conflict. */
export function conflictedPaths(folder: string): Promise<string[]> {
  return gitPaths(folder, "diff", "--name-only", "--diff-filter=U");
}

type GitEnd = { code: number; output: string; problem: string };

/** A connection that breaks may never end by itself. The first clone of a large repository takes long. */
const mostMinutes = 30;
const cloneMinutes = 240;

/** For commands whose exit code is an answer. Git waits for most locks itself; others are retried here. */
export async function gitEnd(folder: string, ...args: readonly string[]): Promise<GitEnd> {
  const begun = performance.now();
  for (;;) {
    const end = await gitWithin(args[0] === "clone" ? cloneMinutes : mostMinutes, folder, args);
    if (end.code === 0 || !isInTheMiddle.test(end.problem)) return end;
    if (performance.now() - begun > longestWait) return end;
    await wait(20 + Math.random() * 60);
  }
}

/** Every git reads all worktrees' files while another writes or fetches, and a cleanup may remove one just started. */
const isInTheMiddle =
  /could not lock config file|cannot lock ref '[^']*': is at|(failed to read|could not (open|create)|Invalid path|bad object)\b.*\bworktrees\/[^/]+/;

/** After this time, the lock counts as left by a killed process. */
const longestWait = 10_000;

/** Like `gitEnd`, but ended with its hooks when late or interrupted. Asked to end, git removes its locks. */
export async function gitWithin(minutes: number, folder: string, args: readonly string[]): Promise<GitEnd> {
  const interrupt = args.includes("--abort") ? undefined : interruption();
  interrupt?.throwIfAborted();
  await cleanGitFiles(folder);
  const mending = takeMending(folder);
  if (mending.index) await renewIndex(folder);
  if (mending.reset) await gitWithin(minutes, folder, ["reset", "--quiet", "--hard"]);
  const start = gitStart(folder, args);
  const running = run("git", start.args, {
    cwd: start.folder,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...stallLimits, ...gitEnvironment(), ...start.environment },
  });
  const stop = (): void => void stopTree(running.child, running);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    stop();
  }, minutes * 60_000);
  interrupt?.addEventListener("abort", stop, { once: true });
  try {
    const { stdout } = await running;
    return { code: 0, output: stdout, problem: "" };
  } catch (error) {
    if (interrupt?.aborted) await takeBack(folder, args);
    interrupt?.throwIfAborted();
    if (isLate) {
      return { code: -1, output: "", problem: `it did not end within ${minutes} minutes` };
    }
    const end = failedEnd.safeParse(error).data;
    const problem = end?.stderr.trim() || String(error);
    return { code: end?.code ?? -1, output: end?.stdout ?? "", problem };
  } finally {
    clearTimeout(limit);
    interrupt?.removeEventListener("abort", stop);
  }
}

async function renewIndex(folder: string): Promise<void> {
  const names = await freshIndex(folder, (...args) => gitWithin(mostMinutes, folder, args));
  if (names.length > 0) reporterOf(folder)("Git was told to overlook, and taken all the same", names);
}

/** No prompts, messages in English, and no look at commits that no push sends (`git replace`, grafts). */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const real = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };
  return { ...personsEnvironment(), ...real, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

/** Undoes a merge or rebase that was ended midway. */
async function takeBack(folder: string, args: readonly string[]): Promise<void> {
  const back = args.includes("merge")
    ? ["reset", "--quiet", "--merge"]
    : args.includes("rebase") && ["rebase", "--abort"];
  if (back) await uninterrupted(() => gitWithin(1, folder, back));
}

/** Over https, git gives up a connection without data for two minutes; the user's own setting takes precedence. */
const stallLimits = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "120" };

const failedEnd = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

async function gitOutput(folder: string, args: readonly string[]): Promise<string> {
  const { code, output, problem } = await gitEnd(folder, ...args);
  if (code === 0) return output;
  throw new Error(`git ${subcommandOf(args)} failed: ${problem}`);
}

/** Git's own options before it (`-c`, `-C`) have a value each. */
function subcommandOf(args: readonly string[]): string {
  let index = 0;
  while (args[index]?.startsWith("-")) index += 2;
  return args[index] ?? "";
}

/** The commit of a name, or null if there is none. */
export async function commitOf(folder: string, name: string): Promise<string | null> {
  if (name.startsWith("-")) return null;
  return git(folder, "rev-parse", "--verify", "--quiet", `${name}^{commit}`).catch(() => null);
}

export async function isAncestor(folder: string, older: string, newer: string): Promise<boolean> {
  return succeeds(git(folder, "merge-base", "--is-ancestor", older, newer));
}

/** Identity for commits, so that a machine without one works at once. */
export const committer = ["-c", "user.name=Backloom worker", "-c", "user.email=worker@localhost"];
