import type { ShownChapter, ShownFile } from "~/features/diff/shown-diff";
import type { StoryFile } from "~/nouns/reviews/story-changes";
import { isFoldedFile } from "~/wire/reviews/folded-files";
import type { Chapter } from "~/wire/reviews/guide";
import { type Marked, markWords } from "~/wire/reviews/marks";

/**
 * A file that is compared has other hunks than the guide counts: it is whole where the guide has it first. A chapter
 * of the agent stays without files, and says where they are. Marked files that the guide does not name come first.
 */
export function shownChapters(
  { source, chapters }: { source: "agent" | "order"; chapters: readonly Chapter[] },
  files: readonly Pick<ShownFile, "path" | "index">[],
  isCompared: boolean,
  marks: readonly Marked[] = [],
): ShownChapter[] {
  const dangerous = new Set(marks.flatMap(({ mark, path }) => (markWords[mark].weight === "gray" ? [] : [path])));
  const byPath = new Map<string, number[]>();
  for (const { path, index } of files) byPath.set(path, [...(byPath.get(path) ?? []), index]);
  const times = new Map<string, number>();
  for (const { path } of chapters.flatMap(({ parts }) => parts)) times.set(path, (times.get(path) ?? 0) + 1);
  const shownAt = new Map<string, number>();
  const shown = chapters.map((chapter, index) => {
    const elsewhere = new Set(chapter.shown_in);
    const parts = chapter.parts.flatMap(({ path, hunks }) => {
      const found = byPath.get(path) ?? [];
      const isSplit = !isCompared && found.length === 1 && (times.get(path) ?? 0) > 1;
      const first = shownAt.get(path) ?? index;
      if (!isSplit && first !== index) elsewhere.add(first);
      if (!isSplit && shownAt.has(path)) return [];
      shownAt.set(path, first);
      return found.map((index) => ({ index, hunks: isSplit ? hunks : null }));
    });
    const titles = [...elsewhere].map((other) => `“${chapters[other]?.title}”`);
    return { ...chapter, parts, note: noteOf(titles, parts.length === 0, isCompared) };
  });
  const others = files.filter(({ path }) => !shownAt.has(path));
  const pathOf = new Map(files.map(({ path, index }) => [index, path]));
  const isDangerous = ({ index }: { index: number }) => dangerous.has(pathOf.get(index) ?? "");
  const untold = source === "agent" ? shown.filter(({ rest }) => rest).flatMap(({ parts }) => parts) : [];
  const isFolded = ({ index }: { index: number }) => isFoldedFile(pathOf.get(index) ?? "");
  const marked = untold.filter(isDangerous);
  const first = new Set([...marked.filter((part) => !isFolded(part)), ...marked.filter(isFolded)]);
  const told = [
    ...shown.map(({ rest: _rest, shown_in: _shown, parts, ...chapter }) => {
      return { ...chapter, parts: parts.filter((part) => !first.has(part)) };
    }),
    {
      title: "No longer changed",
      why: "",
      criterion: null,
      parts: others.map(({ index }) => ({ index, hunks: null })),
    },
  ].filter(({ parts }, index) => {
    const isAgents = source === "agent" && shown[index] && !shown[index].rest;
    return parts.length > 0 || isAgents;
  });
  const why = "Its marks say what to check.";
  return first.size === 0
    ? told
    : [{ title: "Not in the guide, and marked", why, criterion: null, parts: [...first] }, ...told];
}

/** What a chapter says of lines that it names and does not show. */
function noteOf(titles: string[], isEmpty: boolean, isCompared: boolean): string | undefined {
  if (titles.length > 0) {
    return `${isEmpty ? "Its lines are" : "More of its lines are"} under ${titles.join(", ")}.`;
  }
  if (!isEmpty) return undefined;
  return isCompared ? "None of its files changed since then." : "None of its lines changed.";
}

/** A chapter for each task of a story: its hunks in each file, and the files without lines that it changed last. */
export function taskChapters(
  tasks: readonly { id: string; code: string; title: string }[],
  parts: readonly StoryFile["parts"][],
  known: ReadonlySet<string | null>,
): ShownChapter[] {
  const chapters = tasks.map(({ id, code, title }) => ({
    id,
    title: `${code} ${title}`,
    why: "",
    criterion: null,
    parts: parts.flatMap((ofFile, index) => {
      const own = ofFile.filter(({ task_id }) => task_id === id);
      const hunks = own.flatMap((part) => part.hunks);
      const isWhole = ofFile.every((part) => part.hunks.length === 0) && ofFile.at(-1) === own.at(-1);
      if (own.length === 0 || (hunks.length === 0 && !isWhole)) return [];
      return [{ index, hunks: ofFile.length === 1 ? null : hunks }];
    }),
  }));
  return chapters.filter(({ id, parts: shown }) => shown.length > 0 || known.has(id));
}
