import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { personsEnvironment } from "./environment";

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

async function gitOutput(folder: string, words: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("git", words, {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...personsEnvironment(), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(`git ${words[0]} failed: ${said || String(error)}`);
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
