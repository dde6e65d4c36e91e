import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { stopTree } from "../agents/process";
import { personsEnvironment } from "../job/environment";
import { interruption, uninterrupted } from "../job/interruption";
import { gitStart, mendGitFiles } from "./checkout";

const run = promisify(execFile);

/** Runs git in a folder, without questions to a person, and answers its output. */
export async function git(folder: string, ...words: readonly string[]): Promise<string> {
  return (await gitOutput(folder, words)).trim();
}

/** Paths that git lists, as they are: it would quote what is not ASCII. */
export async function gitPaths(folder: string, ...words: readonly string[]): Promise<string[]> {
  const output = await gitOutput(folder, [...words, "-z"]);
  return output.split("\0").filter((path) => path !== "");
}

/** The files that hold both sides of a conflict. */
export function conflictedPaths(folder: string): Promise<string[]> {
  const words = ["--name-only", "--diff-filter=U", "--ignore-submodules=dirty"];
  return gitPaths(folder, "diff", ...words);
}

interface GitEnd {
  code: number;
  output: string;
  problem: string;
}

/** A remote that went away in the middle may never say so. A first clone of a large repository takes its time. */
const mostMinutes = 30;
const cloneMinutes = 240;

/**
 * How git ended, for commands whose exit code is an answer. Git waits for most of what another one holds; where it does not,
 * workers of one repository take turns.
 */
export async function gitEnd(folder: string, ...words: readonly string[]): Promise<GitEnd> {
  const begun = performance.now();
  for (;;) {
    const end = await gitWithin(words[0] === "clone" ? cloneMinutes : mostMinutes, folder, words);
    if (end.code === 0 || !isInTheMiddle.test(end.problem)) return end;
    if (performance.now() - begun > longestWait) return end;
    await wait(20 + Math.random() * 60);
  }
}

/**
 * Another git has just fetched the same branch, writes the configuration, or makes or removes a worktree: every git looks through the files of all of them, and one that
 * tidies up takes away what has just been begun.
 */
const isInTheMiddle =
  /could not lock config file|cannot lock ref '[^']*': is at|(failed to read|could not (open|create)|Invalid path|bad object)\b.*\bworktrees\/[^/]+/;

/** After that it counts as left behind by one that was killed. */
const longestWait = 10_000;

/**
 * The same with a limit of its own: git is ended when it takes longer, or when the work that it is for is interrupted, together
 * with the hooks and helpers that it has started. Told to end it takes its locks away.
 */
export async function gitWithin(
  minutes: number,
  folder: string,
  words: readonly string[],
): Promise<GitEnd> {
  const interrupt = words.includes("--abort") ? undefined : interruption();
  interrupt?.throwIfAborted();
  await mendGitFiles(folder);
  const start = gitStart(folder, words);
  const running = run("git", start.words, {
    cwd: folder,
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
    if (interrupt?.aborted) await takeBack(folder, words);
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

/** The person's own environment, without questions and in a language that is read here. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  return { ...personsEnvironment(), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

/** A merge or a rebase that was ended in its middle leaves the folder as it was before. */
async function takeBack(folder: string, words: readonly string[]): Promise<void> {
  const back = words.includes("merge")
    ? ["reset", "--quiet", "--merge"]
    : words.includes("rebase") && ["rebase", "--abort"];
  if (back) await uninterrupted(() => gitWithin(1, folder, back));
}

/** Over https git itself gives a connection up that brings nothing for two minutes; the person's own word goes before. */
const stallLimits = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "120" };

const failedEnd = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

async function gitOutput(folder: string, words: readonly string[]): Promise<string> {
  const { code, output, problem } = await gitEnd(folder, ...words);
  if (code === 0) return output;
  throw new Error(`git ${words[0]} failed: ${problem}`);
}

/** The commit that a name stands for, or null when there is none. */
export async function commitOf(folder: string, name: string): Promise<string | null> {
  if (name.startsWith("-")) return null;
  return git(folder, "rev-parse", "--verify", "--quiet", `${name}^{commit}`).catch(() => null);
}

export async function isAncestor(folder: string, older: string, newer: string): Promise<boolean> {
  return git(folder, "merge-base", "--is-ancestor", older, newer).then(
    () => true,
    () => false,
  );
}

/** Identity for commits where the machine has none, so that a fresh machine works at once. */
export const committer = ["-c", "user.name=Backloom worker", "-c", "user.email=worker@localhost"];
