import type { DiffFile } from "~/contract/job-diff";
import { parsePatch } from "~/contract/patch";

export interface NumberedLine {
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

/** The line with the same text, the nearest one where there are several; null when there is none any more. */
export function findLine(lines: readonly NumberedLine[], text: string, near: number) {
  let found: NumberedLine | null = null;
  for (const each of lines) {
    if (each.text !== text) continue;
    const isNearer = found === null || Math.abs(each.line - near) < Math.abs(found.line - near);
    if (isNearer) found = each;
  }
  return found;
}

function storable(text: string): string {
  return text.slice(0, longestText).replace(/\p{Surrogate}/gu, "\ufffd");
}
