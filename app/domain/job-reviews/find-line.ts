import type { DiffFile } from "~/contract/job-diff";
import { parsePatch } from "~/contract/patch";

interface NumberedLine {
  line: number;
  text: string;
}

/** So much of a line is remembered; what is longer counts as the same when it begins so. */
const longestText = 2_000;

/** The lines of one side of a file's diff, each with its number. */
export function linesOf({ patch }: Pick<DiffFile, "patch">, side: "old" | "new"): NumberedLine[] {
  if (patch === undefined) return [];
  return parsePatch(patch).hunks.flatMap(({ lines }) =>
    lines.flatMap((each) => {
      const line = side === "old" ? each.old : each.new;
      return line === null ? [] : { line, text: storable(each.text) };
    }),
  );
}

/** The lines by their text, each list from above to below, so that the comments of a file need not look through it one by one. */
export function linesByText(lines: readonly NumberedLine[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { line, text } of lines.toSorted((one, other) => one.line - other.line)) {
    const same = found.get(text);
    if (same) same.push(line);
    else found.set(text, [line]);
  }
  return found;
}

/** The nearest of the numbers, which go up; null where there are none. */
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

function storable(text: string): string {
  return text.slice(0, longestText).replace(/\p{Surrogate}/gu, "\ufffd");
}
