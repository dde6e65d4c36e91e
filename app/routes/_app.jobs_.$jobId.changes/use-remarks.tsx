import { type ReactNode, useCallback, useState } from "react";
import type { Spot } from "~/components/diff/diff-view";
import { type BelowLine, lineKey } from "~/components/diff/line-column";
import { Remark } from "~/components/review/remark";
import { RemarkForm } from "~/components/review/remark-form";
import type { JobComment } from "~/contract/job-review";

interface ShownDiff {
  attempt: number;
  /** Where old lines are those of an earlier attempt, remarks on lines that the work took away have no place among them. */
  since: number | null;
  files: readonly { path: string }[];
}

/** Where each remark stands: below its line, above a file whose line is gone, or apart when the file is gone. */
export function useRemarks(comments: readonly JobComment[], diff: ShownDiff | null) {
  const [spot, setSpot] = useState<Spot | null>(null);
  const close = useCallback(() => setSpot(null), []);
  const paths = new Set(diff?.files.map(({ path }) => path));
  const below = new Map<string, Map<string, ReactNode>>();
  const above = new Map<string, ReactNode[]>();
  const put = (path: string, key: string, node: ReactNode): void => {
    const lines = below.get(path) ?? new Map<string, ReactNode>();
    lines.set(key, [lines.get(key), node]);
    below.set(path, lines);
  };
  for (const comment of comments) {
    const remark = <Remark key={comment.id} comment={comment} />;
    const { path, side, current_line } = comment;
    const line = side === "old" && diff?.since != null ? null : current_line;
    if (line !== null) put(path, lineKey(side, line), remark);
    else if (paths.has(path)) above.set(path, [...(above.get(path) ?? []), remark]);
  }
  if (spot && diff) {
    const { path, side, line } = spot;
    const name = `${path}-${side}-${line}`;
    const form = <RemarkForm key={name} spot={spot} attempt={diff.attempt} onClose={close} />;
    put(path, lineKey(side, line), form);
  }
  const lost = comments.filter(({ path }) => !paths.has(path));
  const belowLines: ReadonlyMap<string, BelowLine> = below;
  return { below: belowLines, above, lost, setSpot };
}
