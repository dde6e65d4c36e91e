import { indexLimits, type KnownChange } from "~/wire/forecasts/contract";
import { isFoldedFile } from "~/wire/reviews/folded-files";
import { sendable } from "../base/sendable";
import { git, gitPaths } from "./git";
import { generatedFiles } from "./read-diff";

/** Titles that say nothing of a task: releases, version bumps of dependencies. */
const routine =
  /^(?:(?:chore|build|ci|fix)\((?:deps|deps-dev|release)\)|bump |release |v?\d+\.\d+|chore: (?:bump|release|version))/i;
/** The end of the year 9999, for clocks that were wrong. */
const lastSecond = 253_402_300_799;
const changelog = /(?:^|\/)(?:change(?:s|log)|history|news)(?:\.\w+)?$/i;

/** Without lock files, generated files and changelogs. Large changes, such as a new format, say nothing of a task. */
export async function readKnownChanges(folder: string, head: string): Promise<KnownChange[]> {
  const changes = await readHistory(folder, head, indexLimits.changes);
  const all = await gitPaths(folder, "ls-tree", "-r", "--name-only", head);
  const generated = await generatedFiles(
    folder,
    changes.flatMap(({ paths }) => paths),
  );
  const kept = new Set(all.filter((path) => !generated.has(path)));
  return changes.flatMap((change) => saysSomething(change, (path) => kept.has(path)));
}

/** A change without the files that follow from others, unless nothing is left of it that says something of a task. */
export function saysSomething(change: KnownChange, isKept: (path: string) => boolean = () => true): KnownChange[] {
  const paths = change.paths.filter((path) => isKept(path) && !isFoldedFile(path) && !changelog.test(path));
  const isWhole = !routine.test(change.title) && paths.length >= 1 && paths.length <= indexLimits.paths;
  return isWhole ? [{ ...change, paths }] : [];
}

/** A commit's hash, time, title and message. Neither they nor paths hold a zero byte, so that none can look like another commit. */
const aCommit = /\0\0([0-9a-f]{40,64})\0(\d{1,11})\0([^\0]*)\0([^\0]*)\0/;

/** Commits but merges, newest first, with every file that they name. */
export async function readHistory(folder: string, head: string, most: number): Promise<KnownChange[]> {
  const format = "--format=%x00%x00%H%x00%ct%x00%s%x00%b%x00";
  const args = ["-z", "--no-merges", "--no-renames", "--name-only", format, `--max-count=${most}`, head, "--"];
  const [, ...parts] = (await git(folder, "log", ...args)).split(aCommit);
  return Array.from({ length: parts.length / 5 }, (_, index) => readChange(parts.slice(index * 5, index * 5 + 5)));
}

function readChange([sha = "", seconds = "", title = "", body = "", files = ""]: readonly string[]): KnownChange {
  const reverts = /^This reverts commit ([0-9a-f]{7,64})\b/m.exec(body)?.[1];
  const paths = files.split("\0").map((path) => path.replace(/^\n/, ""));
  return {
    sha,
    at: new Date(Math.min(Number(seconds), lastSecond) * 1000).toISOString(),
    title: sendable(title, indexLimits.title),
    paths: paths.filter((path) => path !== "" && Buffer.byteLength(path) <= indexLimits.pathBytes),
    ...(reverts === undefined ? {} : { reverts }),
  };
}
