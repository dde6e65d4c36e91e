import type { DiffFile } from "~/contract/job-diff";

/** A line as it is shown: `s` stayed, `a` was added, `d` was deleted. The HTML is made on the server and safe. */
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

/** A file of a diff, with its lines once they are loaded. */
export interface ShownFile extends Omit<DiffFile, "patch"> {
  index: number;
  /** The same for the same changes, so that a mark "viewed" is lost with them. */
  key: string;
  /** How many lines there are to show, so that the page leaves room for them. */
  lineCount: number;
  hunks: ShownHunk[] | null;
  /** What is to be said of it besides. */
  note?: string;
}
