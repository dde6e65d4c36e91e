import type { DiffFile } from "~/nouns/agent-jobs/job-diff";

/** A shown line: `s` same, `a` added, `d` deleted. The HTML comes from the server and is safe. */
export type ShownLine = [
  kind: "s" | "a" | "d",
  old: number | null,
  next: number | null,
  html: string,
];

export interface ShownHunk {
  heading: string;
  lines: ShownLine[];
}

/** A file of a diff. `hunks` is null until its lines are loaded. */
export interface ShownFile extends Omit<DiffFile, "patch"> {
  index: number;
  /** Hash of the changes: if they change, the lines are loaded again. */
  key: string;
  /** Number of lines, so that the page reserves space. */
  lineCount: number;
  hunks: ShownHunk[] | null;
  /** A note to show with the file. */
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
