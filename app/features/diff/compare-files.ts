import type { DiffFile } from "~/nouns/agent-jobs/job-diff";
import { type Hunk, parsePatch } from "~/nouns/agent-jobs/patch";
import { compareLines, type Line, type Stretch } from "./compare-lines";

/** A file's entries in two diffs; null in a diff that does not list it. */
export interface Comparison {
  before: ComparedFile | null;
  now: ComparedFile | null;
  /** Whether both diffs start at the same commit. */
  isSameBase: boolean;
  /** Maximum number of line pairs to compare. */
  pairs: number;
}

export type ComparedFile = Pick<DiffFile, "patch" | "truncated" | "binary" | "status">;

/** The change from one version to the other as a patch, and the number of line pairs compared. */
export interface ComparedLines {
  patch: string;
  additions: number;
  deletions: number;
  pairs: number;
  /** Whether a larger `pairs` would give a more precise result. */
  isRough: boolean;
}

/** Returns null if the diffs do not contain enough. A null side means the unchanged original file. */
export function compareFiles({ before, now, isSameBase, pairs }: Comparison): ComparedLines | null {
  const [left, right] = [before, now].map((side) => (side === null ? nothing : read(side)));
  if (!left || !right) return null;
  const isOne =
    left.blob === null || right.blob === null ? isSameBase : isSameBlob(left.blob, right.blob);
  return isOne ? compare(left, right, pairs) : null;
}

/** What one side did to the original file. */
interface SideChange {
  /** Git's hash of the original content. */
  blob: string | null;
  edits: Edit[];
  /** Known lines of the original, by number. */
  known: Map<number, Line>;
  /** Ranges of the original covered by the diff: first line, and the line after the last. */
  stretches: [start: number, end: number][];
}

interface Edit {
  at: number;
  deleted: number;
  added: Line[];
}

const nothing: SideChange = { blob: null, edits: [], known: new Map(), stretches: [] };

function read({ patch, truncated, binary, status }: ComparedFile): SideChange | null {
  const isText = status !== "submodule" && status !== "type_changed" && !binary;
  if (patch === undefined || truncated || !isText) return null;
  const { headers, hunks, isWhole } = parsePatch(patch);
  const [header = []] = headers;
  if (!isWhole || headers.length > 1) return null;
  const [, blob = null] =
    /^index ([0-9a-f]+)\.\./.exec(header.find((line) => line.startsWith("index ")) ?? "") ?? [];
  const side: SideChange = { blob, edits: [], known: new Map(), stretches: [] };
  for (const hunk of hunks) {
    readHunk(side, hunk);
    if (!isInOrder(side.stretches)) return null;
  }
  return side;
}

function readHunk(side: SideChange, { lines, oldStart }: Hunk): void {
  // A hunk without original lines names the line before it.
  const start = lines.find(({ old }) => old !== null)?.old ?? oldStart + 1;
  let at = start;
  let edit: Edit | null = null;
  for (const { kind, text, isUnended = false } of lines) {
    const line = { text, isUnended };
    if (kind !== "added") side.known.set(at, line);
    if (kind === "same") {
      edit = null;
      at += 1;
      continue;
    }
    if (edit === null) {
      edit = { at, deleted: 0, added: [] };
      side.edits.push(edit);
    }
    if (kind === "added") edit.added.push(line);
    else {
      edit.deleted += 1;
      at += 1;
    }
  }
  side.stretches.push([start, at]);
}

/** Git writes hunks in order. A hunk that returns is not from Git, and could repeat lines without end. */
function isInOrder(stretches: SideChange["stretches"]): boolean {
  const [last, one] = [stretches.at(-1), stretches.at(-2)];
  return !last || !one || last[0] >= one[1];
}

function isSameBlob(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
}

function compare(left: SideChange, right: SideChange, pairs: number): ComparedLines {
  const known = new Map([...left.known, ...right.known]);
  const [old, next] = [new Walk(left.edits, known), new Walk(right.edits, known)];
  const budget = { pairs, isSpent: false };
  const parts = joined([...left.stretches, ...right.stretches]).map(([start, end]) =>
    compareLines(old.stretch(start, end), next.stretch(start, end), budget),
  );
  return {
    patch: parts.map(({ patch }) => patch).join(""),
    additions: parts.reduce((sum, { additions }) => sum + additions, 0),
    deletions: parts.reduce((sum, { deletions }) => sum + deletions, 0),
    pairs: pairs - budget.pairs,
    isRough: budget.isSpent,
  };
}

/** Merges ranges that touch or overlap. */
function joined(stretches: SideChange["stretches"]): SideChange["stretches"] {
  const joint: SideChange["stretches"] = [];
  for (const [start, end] of stretches.toSorted(([one], [other]) => one - other)) {
    const last = joint.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joint.push([start, end]);
  }
  return joint;
}

/** Applies one side's edits to the original, in a single pass over the ranges. */
class Walk {
  readonly #edits: readonly Edit[];
  readonly #known: ReadonlyMap<number, Line>;
  #next = 0;
  /** How far lines have shifted so far. */
  #shift = 0;

  constructor(edits: readonly Edit[], known: ReadonlyMap<number, Line>) {
    this.#edits = edits;
    this.#known = known;
  }

  /** Returns the new version of the original lines from `start` to before `end`. */
  stretch(start: number, end: number): Stretch {
    const stretch = { start: start + this.#shift, lines: [] as Line[] };
    let at = start;
    for (; ; this.#next += 1) {
      const edit = this.#edits[this.#next];
      if (edit === undefined || edit.at > end) break;
      this.#stay(stretch.lines, at, edit.at);
      for (const line of edit.added) stretch.lines.push(line);
      at = edit.at + edit.deleted;
      this.#shift += edit.added.length - edit.deleted;
    }
    this.#stay(stretch.lines, at, end);
    return stretch;
  }

  #stay(lines: Line[], from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      lines.push(this.#known.get(at) ?? { text: "", isUnended: false });
    }
  }
}
