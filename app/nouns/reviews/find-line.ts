import type { DiffFile } from "~/wire/agent-jobs/job-diff";
import { parsePatch } from "~/wire/agent-jobs/patch";

type NumberedLine = { line: number; text: string };

/** Stored length of a line. Longer lines are compared by their start. */
const longestText = 2_000;

/** Numbered lines of one side of a file's diff. */
export function linesOf({ patch }: Pick<DiffFile, "patch">, side: "old" | "new"): NumberedLine[] {
  if (patch === undefined) return [];
  return parsePatch(patch).hunks.flatMap(({ lines }) =>
    lines.flatMap((each) => {
      const line = side === "old" ? each.old : each.new;
      return line === null ? [] : { line, text: storable(each.text) };
    }),
  );
}

/** Line numbers by text, ascending, so that each comment is found without scanning the file. */
export function linesByText(lines: readonly NumberedLine[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { line, text } of lines.toSorted((one, other) => one.line - other.line)) {
    const same = found.get(text);
    if (same) same.push(line);
    else found.set(text, [line]);
  }
  return found;
}

/** The nearest of ascending numbers; null if there are none. */
export function nearestTo(near: number, numbers: readonly number[]): number | null {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? near) < near) from = middle + 1;
    else to = middle;
  }
  const [above = null, below = null] = [numbers[from - 1], numbers[from]];
  if (above === null || below === null) return above ?? below;
  return near - above <= below - near ? above : below;
}

const storable = (text: string): string => text.slice(0, longestText).replace(/\p{Surrogate}/gu, "\ufffd");
