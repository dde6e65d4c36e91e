import type { ShownChapter, ShownFile } from "~/features/diff/shown-diff";
import type { Chapter } from "~/nouns/job-reviews/guide";

/**
 * The chapters of a guide with the files that the page shows. A file that is compared with an earlier attempt has other
 * hunks than the guide counts: it stands whole where the guide has it first.
 */
export function shownChapters(
  chapters: readonly Chapter[],
  files: readonly ShownFile[],
  isCompared: boolean,
): ShownChapter[] {
  const byPath = new Map<string, ShownFile[]>();
  for (const file of files) byPath.set(file.path, [...(byPath.get(file.path) ?? []), file]);
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
      return found.map(({ index }) => ({ index, hunks: isSplit ? hunks : null }));
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
