import clsx from "clsx";
import { type BelowLine, LineColumn } from "./line-column";
import { segmentsOf } from "./segments";
import type { ShownHunk, ShownLine } from "./shown-diff";

/** The lines of a file. One text serves the unified and the split view: which of them is seen is decided by style alone. */
export function ChangedLines({ hunks, below }: { hunks: readonly ShownHunk[]; below: BelowLine }) {
  return hunks.map((hunk) => (
    <div key={placeOf(hunk.lines)} className="hunk">
      {isFirst(hunk) || <p className="hunk-heading">{hunk.heading || "…"}</p>}
      {segmentsOf(hunk.lines).map(({ isChange, old, next }) => (
        <div
          key={`${placeOf(old)} ${placeOf(next)}`}
          className={clsx(
            "seg",
            isChange && "change",
            Math.max(old.length, next.length) > 60 && "far",
          )}
        >
          <LineColumn side="old" lines={old} below={below} isTwin={!isChange} />
          <LineColumn side="new" lines={next} below={below} />
        </div>
      ))}
    </div>
  ));
}

/** Nothing is left out above the first line of a file. */
function isFirst({ heading, lines }: ShownHunk): boolean {
  const [, old, next] = lines[0] ?? [];
  return heading === "" && (old === 1 || next === 1);
}

/** Where lines begin in the old and in the new file: no two pieces of a patch begin at the same line of both. */
function placeOf([first]: readonly ShownLine[]): string {
  const [, old, next] = first ?? [];
  return `${old ?? ""}:${next ?? ""}`;
}
