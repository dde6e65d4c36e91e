import type { ShownChapter, ShownFile } from "~/features/diff/shown-diff";
import type { Chapter } from "~/nouns/job-reviews/guide";
import type { StoryFile } from "~/nouns/job-reviews/story-changes";

/**
 * The chapters of a guide with the files that the page shows. A file that is compared with an earlier attempt has other
 * hunks than the guide counts: it stands whole where the guide has it first.
 */
export function shownChapters(
  chapters: readonly Chapter[],
  files: readonly Pick<ShownFile, "path" | "index">[],
  isCompared: boolean,
): ShownChapter[] {
  const byPath = new Map<string, number[]>();
  for (const { path, index } of files) byPath.set(path, [...(byPath.get(path) ?? []), index]);
  const times = new Map<string, number>();
  for (const { path } of chapters.flatMap(({ parts }) => parts))
    times.set(path, (times.get(path) ?? 0) + 1);
  const placed = new Set<string>();
  const shown = chapters.map(({ title, why, criterion, parts }) => ({
    ...{ title, why, criterion },
    parts: parts.flatMap(({ path, hunks }) => {
      const found = byPath.get(path) ?? [];
      const isSplit = !isCompared && found.length === 1 && (times.get(path) ?? 0) > 1;
      if (!isSplit && placed.has(path)) return [];
      placed.add(path);
      return found.map((index) => ({ index, hunks: isSplit ? hunks : null }));
    }),
  }));
  const others = files.filter(({ path }) => !placed.has(path));
  return [
    ...shown,
    {
      ...{ title: "No longer changed", why: "", criterion: null },
      parts: others.map(({ index }) => ({ index, hunks: null })),
    },
  ].filter(({ parts }) => parts.length > 0);
}

/** A chapter for each task of a story: its hunks in each file, and the files without lines that it changed last. */
export function taskChapters(
  tasks: readonly { id: string; code: string; title: string }[],
  parts: readonly StoryFile["parts"][],
  told: ReadonlySet<string | null>,
): ShownChapter[] {
  const chapters = tasks.map(({ id, code, title }) => ({
    ...{ id, title: `${code} ${title}`, why: "", criterion: null },
    parts: parts.flatMap((ofFile, index) => {
      const own = ofFile.filter(({ task_id }) => task_id === id);
      const hunks = own.flatMap((part) => part.hunks);
      const isWhole =
        ofFile.every((part) => part.hunks.length === 0) && ofFile.at(-1) === own.at(-1);
      if (own.length === 0 || (hunks.length === 0 && !isWhole)) return [];
      return [{ index, hunks: ofFile.length === 1 ? null : hunks }];
    }),
  }));
  return chapters.filter(({ id, parts: shown }) => shown.length > 0 || told.has(id));
}
