import { type ReactNode, useCallback, useState } from "react";
import type { JobComment } from "~/contract/job-review";
import type { Spot } from "~/features/diff/diff-view";
import { type BelowLine, lineKey } from "~/features/diff/line-column";
import { CommentForm } from "~/features/review/comment-form";
import { LineComment } from "~/features/review/line-comment";

interface ShownDiff {
  attempt: number;
  /** Where old lines are those of an earlier attempt, comments on lines that the work took away have no place among them. */
  since: number | null;
  files: readonly { path: string }[];
}

/** Where each comment stands: below its line, above a file whose line is gone, or apart when the file is gone. */
export function useComments(comments: readonly JobComment[], diff: ShownDiff | null) {
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
    const shown = <LineComment key={comment.id} comment={comment} />;
    const { path, side, current_line } = comment;
    const line = side === "old" && diff?.since != null ? null : current_line;
    if (line !== null) put(path, lineKey(side, line), shown);
    else if (paths.has(path)) above.set(path, [...(above.get(path) ?? []), shown]);
  }
  if (spot && diff) {
    const { path, side, line } = spot;
    const name = `${path}-${side}-${line}`;
    const form = <CommentForm key={name} spot={spot} attempt={diff.attempt} onClose={close} />;
    put(path, lineKey(side, line), form);
  }
  const lost = comments.filter(({ path }) => !paths.has(path));
  const belowLines: ReadonlyMap<string, BelowLine> = below;
  return { below: belowLines, above, lost, setSpot };
}
