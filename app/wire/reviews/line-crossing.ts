import { parsePatch } from "../agent-jobs/patch";

export type Side = "old" | "new";

/** The numbers that lines of one side of a patch have on the other: null where the patch adds or deletes them. */
export class Crossing {
  private readonly shown = new Map<number, number | null>();
  private readonly moves: { from: number; by: number }[] = [];

  constructor(patch: string, side: Side) {
    const other = otherSide(side);
    let by = 0;
    for (const { lines, oldStart, newStart } of parsePatch(patch).hunks) {
      const own = lines.filter((each) => each[side] !== null);
      for (const each of own) this.shown.set(each[side] ?? 0, each[other]);
      by += lines.filter((each) => each[other] !== null).length - own.length;
      // A side without lines names the line before it.
      const start = side === "old" ? oldStart : newStart;
      this.moves.push({ from: start + Math.max(own.length, 1), by });
    }
  }

  shows(line: number): boolean {
    return this.shown.has(line);
  }

  at(line: number): number | null {
    const shown = this.shown.get(line);
    if (shown !== undefined) return shown;
    return line + (this.moves.findLast(({ from }) => from <= line)?.by ?? 0);
  }

  /** What lines from one to another, both included, are on the other side; null where none of them is there. */
  span(from: number, to?: number): { from: number; to?: number } | null {
    let [first, last] = [from, to ?? Number.POSITIVE_INFINITY];
    while (first <= last && this.at(first) === null) first += 1;
    while (first < last && this.at(last) === null) last -= 1;
    const start = first <= last ? this.at(first) : null;
    const end = this.at(last);
    if (start === null || end === null) return null;
    return to === undefined ? { from: start } : { from: start, to: end };
  }
}

export const otherSide = (side: Side): Side => (side === "old" ? "new" : "old");
