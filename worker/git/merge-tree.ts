import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConflictFile, conflictLimits, type ReportJobConflictInput } from "~/wire/agent-jobs/job-conflict";
import type { Journal } from "../base/journal";
import { sendable } from "../base/sendable";
import { committer, conflictedPaths, git, gitEnd } from "./git";

/** Work that conflicts with the main branch or another branch of its run. */
export interface Clash {
  kind: ReportJobConflictInput["kind"];
  branch?: string;
  theirs: string;
  files: ConflictFile[];
  /** The commit that conflicts, if it is not the one checked out. */
  ours?: string;
  /** Set if an attempt was to resolve it and failed. */
  inVain?: { ours: string };
}

/** First git version (2.38) with `git merge-tree --write-tree`, which tries a merge without touching files. */
const dryMergeSince = [2, 38] as const;

/** Conflicting files with both sides of each; empty if they merge. The folder must be clean, and stays clean. */
export async function clashWith(folder: string, theirs: string, journal: Journal): Promise<ConflictFile[]> {
  if (await mergesDry(folder)) return dryMerge(folder, theirs, journal);
  journal.sayOnce("This git is older than 2.38 and needs a trial merge in the worktree, which is reverted");
  return mergeAndTakeBack(folder, theirs);
}

async function mergesDry(folder: string): Promise<boolean> {
  const [, major, minor] = /(\d{1,4})\.(\d{1,4})/.exec(await git(folder, "version")) ?? [];
  const [sinceMajor, sinceMinor] = dryMergeSince;
  return Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor);
}

async function dryMerge(folder: string, theirs: string, journal: Journal): Promise<ConflictFile[]> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
  const end = await gitEnd(folder, ...args, "HEAD", theirs);
  if (end.code === 0) return [];
  if (end.code !== 1) {
    journal.say(`Could not check whether it merges with ${theirs.slice(0, 8)}: ${end.problem}`);
    return [];
  }
  const [tree = "", ...paths] = end.output.split("\0").filter((part) => part !== "");
  return filesOf(folder, theirs, paths, (path) => shown(folder, tree, path));
}

async function mergeAndTakeBack(folder: string, theirs: string): Promise<ConflictFile[]> {
  const merge = await gitEnd(folder, ...committer, "merge", "--no-commit", "--no-ff", theirs);
  try {
    if (merge.code === 0) return [];
    const paths = await conflictedPaths(folder);
    return await filesOf(folder, theirs, paths, (path) => readFile(join(folder, path), "utf8").catch(() => null));
  } finally {
    await git(folder, "merge", "--abort").catch(() => undefined);
  }
}

async function filesOf(
  folder: string,
  theirs: string,
  paths: readonly string[],
  markedText: (path: string) => Promise<string | null>,
): Promise<ConflictFile[]> {
  const files: ConflictFile[] = [];
  for (const path of new Set(paths.slice(0, conflictLimits.files))) {
    const named = { path: sendable(path, 1_000) };
    if (files.length >= conflictLimits.shown) {
      files.push(named);
      continue;
    }
    const whole = { ours: await shown(folder, "HEAD", path), theirs: await shown(folder, theirs, path) };
    const isBinary = [whole.ours, whole.theirs].some((text) => text?.includes("\0"));
    const parts = sidesOf((await markedText(path)) ?? "") ?? whole;
    files.push(isBinary ? named : { ...named, ours: cut(parts.ours), theirs: cut(parts.theirs) });
  }
  return files;
}

function sidesOf(text: string): { ours: string; theirs: string } | null {
  const sides = { ours: "", base: "", theirs: "" };
  let side: keyof typeof sides | null = null;
  let hunks = 0;
  for (const line of text.split("\n")) {
    if (/^<{7}( |$)/.test(line)) {
      hunks += 1;
      if (hunks > 1) for (const name of ["ours", "theirs"] as const) sides[name] += "[…]\n";
      side = "ours";
    } else if (side === "ours" && /^\|{7}( |$)/.test(line)) side = "base";
    else if (side !== null && /^={7}$/.test(line)) side = "theirs";
    else if (side !== null && /^>{7}( |$)/.test(line)) side = null;
    else if (side !== null) sides[side] += `${line}\n`;
  }
  return hunks === 0 ? null : sides;
}

/** A file's text in a commit or tree, or null. */
async function shown(folder: string, tree: string, path: string): Promise<string | null> {
  const end = await gitEnd(folder, "cat-file", "blob", `${tree}:${path}`);
  return end.code === 0 ? end.output : null;
}

function cut(text: string | null): string | null {
  return text === null ? null : sendable(text, conflictLimits.side);
}
