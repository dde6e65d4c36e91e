import type { picturesOf } from "~/nouns/agent-jobs/patch-pictures";
import type { ReadFile } from "~/wire/agent-jobs/job-diff";

/** A shown line: `s` same, `a` added, `d` deleted. The HTML comes from the server and is safe. */
export type ShownLine = [kind: "s" | "a" | "d", old: number | null, next: number | null, html: string];

export interface ShownHunk {
  heading: string;
  lines: ShownLine[];
}

/** A file of a diff. `hunks` is null until its lines are loaded. */
export interface ShownFile extends Omit<ReadFile, "patch"> {
  index: number;
  /** Hash of the changes: if they change, the lines are loaded again. */
  key: string;
  /** Number of lines, so that the page reserves space. */
  lineCount: number;
  hunks: ShownHunk[] | null;
  /** Its sides where it is a picture; those without a size are not stored whole. */
  pictures: ReturnType<typeof picturesOf>;
  note?: string;
}

/** A file of an attempt, as the service keeps what people have viewed. */
export interface Mark {
  job_id: string;
  attempt: number;
  path: string;
}

/** A chapter of a diff as shown. `hunks` is null where it has the whole file. */
export interface ShownChapter {
  /** The task that it is of, where chapters are tasks. */
  id?: string;
  title: string;
  why: string;
  criterion: string | null;
  /** Where the lines are that it names and does not show. */
  note?: string | undefined;
  parts: { index: number; hunks: number[] | null }[];
}

/** Files on one page of a diff: the service makes them in one go, and a browser lays all of them out. */
const filesAtOnce = 200;

/** The place of a page among all files of a diff. */
export interface FilePage {
  page: number;
  pages: number;
  /** The first and the last of its files, counted from 1. */
  from: number;
  to: number;
  total: number;
}

/** The chapters of one page with its files. */
export function pageOfFiles(all: readonly ShownChapter[], wanted = 1): FilePage & { chapters: ShownChapter[] } {
  const total = all.reduce((sum, { parts }) => sum + parts.length, 0);
  const pages = Math.max(1, Math.ceil(total / filesAtOnce));
  const page = Math.min(Math.max(wanted, 1), pages);
  const [from, to] = [(page - 1) * filesAtOnce, Math.min(page * filesAtOnce, total)];
  let before = 0;
  const chapters = all.flatMap((chapter) => {
    const parts = chapter.parts.slice(Math.max(from - before, 0), Math.max(to - before, 0));
    // One without files comes before the next file.
    const isNext = before >= from && (before < to || page === pages);
    before += chapter.parts.length;
    const isHere = parts.length > 0 || (chapter.parts.length === 0 && isNext);
    return isHere ? [{ ...chapter, parts }] : [];
  });
  return { chapters, page, pages, from: from + 1, to, total };
}

/** The files of a page in the order in which they are read. */
export function filesOfPage<File extends { index: number }>(
  files: readonly File[],
  chapters: readonly ShownChapter[],
): File[] {
  const byIndex = new Map(files.map((file) => [file.index, file]));
  const indices = new Set(chapters.flatMap(({ parts }) => parts.map(({ index }) => index)));
  return [...indices].flatMap((index) => byIndex.get(index) ?? []);
}

/** A number in the address of a page. */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
