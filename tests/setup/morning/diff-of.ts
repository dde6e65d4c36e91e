import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readDiff } from "../../../worker/git/read-diff";
import { forgetfulGit } from "../forgetful-git";
import type { Files } from "./code";

const run = promisify(execFile);
const who = { NAME: "Backloom worker", EMAIL: "worker@example.com", DATE: "2026-01-05T06:00:00Z" };
const people = ["AUTHOR", "COMMITTER"].flatMap((as) =>
  Object.entries(who).map(([key, value]) => [`GIT_${as}_${key}`, value]),
);
const env = { ...process.env, ...forgetfulGit, ...Object.fromEntries(people) };

/** What each commit changes, since the first one or the one before: made by git, and read by the worker's own code. */
export async function diffsOf(states: readonly Files[], since: "first" | "before") {
  const folder = await mkdtemp(join(tmpdir(), "morning-"));
  const git = async (...words: string[]) => (await run("git", words, { cwd: folder, env })).stdout.trim();
  try {
    await git("init", "--quiet");
    const shas: string[] = [];
    for (const files of states) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await (content === null ? rm(join(folder, path)) : writeFile(join(folder, path), content));
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--message", "Work");
      shas.push(await git("rev-parse", "HEAD"));
    }
    return await Promise.all(
      shas.slice(1).map(async (head_sha, n) => {
        const base_sha = shas[since === "first" ? 0 : n] ?? "";
        return { base_sha, head_sha, files: await readDiff(folder, base_sha, head_sha) };
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
