import type { DiffFile, JobDiff } from "~/contract/job-diff";
import { type Hunk, parsePatch } from "~/contract/patch";
import { compareLines, type Line } from "./compare-lines";

/** A file as a round of the work changed it. */
export interface RoundFile {
  file: DiffFile;
  /** Its place among the files of the later diff; those that are there no more come after them. */
  index: number;
  /** Why it is not shown line by line. */
  note?: string;
}

/**
 * What changed between two attempts. Both diffs begin at the same commit, so what the one and the other made of its lines can be
 * told from the diffs alone; lines that neither touched are the same.
 */
export function roundOf(before: JobDiff, now: JobDiff): RoundFile[] {
  const isSameBase = before.base_sha === now.base_sha;
  const earlier = new Map(before.files.map((file) => [file.path, file]));
  const files = now.files.flatMap((file, index) => {
    const old = earlier.get(file.path);
    earlier.delete(file.path);
    if (old && isSame(old, file)) return [];
    return [{ index, ...changeOf(old ?? null, file, isSameBase) }];
  });
  const gone = [...earlier.values()].map((file, place) => ({
    index: now.files.length + place,
    ...returnOf(file, isSameBase),
  }));
  return [...files, ...gone].filter(
    ({ file, note }) => note !== undefined || file.patch !== "" || file.status === "renamed",
  );
}

function isSame(old: DiffFile, file: DiffFile): boolean {
  return (
    old.patch !== undefined &&
    old.patch === file.patch &&
    !old.truncated &&
    old.old_path === file.old_path
  );
}

function changeOf(old: DiffFile | null, file: DiffFile, isSameBase: boolean) {
  const lines = old?.old_path === file.old_path ? comparison(old, file, isSameBase) : null;
  if (lines === null) return { file, note: "Shown as it differs from where the work began." };
  return { file: { ...file, ...lines, status: old === null ? file.status : "modified" } as const };
}

/** The file of an earlier attempt that the later one leaves as it was before the work. */
function returnOf(file: DiffFile, isSameBase: boolean) {
  const { patch: _patch, old_path: _old, ...named } = file;
  const status = file.status === "added" ? ("deleted" as const) : ("modified" as const);
  const lines = file.old_path === undefined ? comparison(file, null, isSameBase) : null;
  const note = "It is again as it was before the work.";
  return { file: { ...named, status, additions: 0, deletions: 0, ...lines }, note };
}

/** From the one file to the other as a patch; null when the diffs do not tell. No diff: the file as the work found it. */
function comparison(old: DiffFile | null, file: DiffFile | null, isSameBase: boolean) {
  const [left, right] = [old, file].map((side) => (side === null ? nothing : read(side)));
  if (!left || !right) return null;
  const isOne =
    left.blob === null || right.blob === null ? isSameBase : isSameBlob(left.blob, right.blob);
  return isOne ? compare(left, right) : null;
}

/** What one side made of the lines that both began with. */
interface SideChange {
  /** The name of the file's content where the work began, as git gives it. */
  blob: string | null;
  edits: Edit[];
  /** Lines of the beginning, by number. */
  known: Map<number, Line>;
  /** The stretches of the beginning that it tells of: from a line, up to before another one. */
  stretches: [start: number, end: number][];
}

interface Edit {
  at: number;
  deleted: number;
  added: Line[];
}

const nothing: SideChange = { blob: null, edits: [], known: new Map(), stretches: [] };

function read({ patch, truncated, binary, status }: DiffFile): SideChange | null {
  const isText = status !== "submodule" && status !== "type_changed" && !binary;
  if (patch === undefined || truncated || !isText) return null;
  const { headers, hunks, isWhole } = parsePatch(patch);
  const [header = []] = headers;
  if (!isWhole || headers.length > 1) return null;
  const [, blob = null] =
    /^index ([0-9a-f]+)\.\./.exec(header.find((line) => line.startsWith("index ")) ?? "") ?? [];
  const side: SideChange = { blob, edits: [], known: new Map(), stretches: [] };
  for (const hunk of hunks) readHunk(side, hunk);
  return side;
}

function readHunk(side: SideChange, { lines, oldStart }: Hunk): void {
  // A hunk without a line of the beginning names the line that it comes after.
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

function isSameBlob(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
}

function compare(left: SideChange, right: SideChange) {
  const known = new Map([...left.known, ...right.known]);
  const parts = joined([...left.stretches, ...right.stretches]).map(([start, end]) =>
    compareLines(
      { lines: linesOf(left, known, start, end), start: start + shiftAt(left, start) },
      { lines: linesOf(right, known, start, end), start: start + shiftAt(right, start) },
    ),
  );
  return {
    patch: parts.map(({ patch }) => patch).join(""),
    additions: parts.reduce((sum, { additions }) => sum + additions, 0),
    deletions: parts.reduce((sum, { deletions }) => sum + deletions, 0),
  };
}

/** Stretches that touch or overlap become one. */
function joined(stretches: SideChange["stretches"]): SideChange["stretches"] {
  const joint: SideChange["stretches"] = [];
  for (const [start, end] of stretches.toSorted(([one], [other]) => one - other)) {
    const last = joint.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joint.push([start, end]);
  }
  return joint;
}

/** What a side made of a stretch of the beginning. */
function linesOf({ edits }: SideChange, known: Map<number, Line>, start: number, end: number) {
  const lines: Line[] = [];
  let at = start;
  const stay = (to: number): void => {
    for (; at < to; at += 1) lines.push(known.get(at) ?? { text: "", isUnended: false });
  };
  for (const edit of edits) {
    if (edit.at < start || edit.at > end) continue;
    stay(edit.at);
    lines.push(...edit.added);
    at += edit.deleted;
  }
  stay(end);
  return lines;
}

/** By how much the lines of a side have moved where a stretch begins. */
function shiftAt({ edits }: SideChange, start: number): number {
  return edits
    .filter(({ at }) => at < start)
    .reduce((sum, { added, deleted }) => sum + added.length - deleted, 0);
}
