import type { ShownLine } from "./shown-diff";

/** Lines that stayed (the same on both sides), or a change: what was there, and what is there now. */
export interface Segment {
  isChange: boolean;
  old: readonly ShownLine[];
  next: readonly ShownLine[];
}

/** So many lines are laid out together; a browser skips those that nobody looks at. */
const mostLines = 100;

/** The lines of a hunk in pieces: a change never stands in one piece with what stayed. */
export function segmentsOf(lines: readonly ShownLine[]): Segment[] {
  const segments: Segment[] = [];
  for (let start = 0; start < lines.length; ) {
    const isChange = lines[start]?.[0] !== "s";
    let end = start;
    while (end < lines.length && (lines[end]?.[0] !== "s") === isChange) end += 1;
    segments.push(...piecesOf(lines.slice(start, end), isChange));
    start = end;
  }
  return segments;
}

function piecesOf(lines: readonly ShownLine[], isChange: boolean): Segment[] {
  const old = lines.filter(([kind]) => kind !== "a");
  const next = lines.filter(([kind]) => kind !== "d");
  // One that has both sides stays whole: cut in two it would be read in the wrong order.
  if (isChange && old.length > 0 && next.length > 0) return [{ isChange, old, next }];
  const pieces: Segment[] = [];
  for (let start = 0; start < lines.length; start += mostLines) {
    const end = start + mostLines;
    pieces.push({ isChange, old: old.slice(start, end), next: next.slice(start, end) });
  }
  return pieces;
}
