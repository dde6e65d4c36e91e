import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A git command that failed, with what git said. */
export class GitFailure extends Error {}

/** Runs git in a folder, without questions to a person, and answers its output. */
export async function git(folder: string, ...words: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("git", words, {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    });
    return stdout.trim();
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new GitFailure(`git ${words[0]} failed: ${said || String(error)}`);
  }
}

/** The commit that a name stands for, or null when there is none. */
export async function commitOf(folder: string, name: string): Promise<string | null> {
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
