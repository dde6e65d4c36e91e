import { type ReactNode, useCallback, useState } from "react";
import type { Spot } from "~/features/diff/diff-view";
import { type BelowLine, lineKey } from "~/features/diff/line-column";
import type { JobComment } from "~/nouns/job-reviews/contract";
import { CommentForm } from "./comment-form";
import { LineComment } from "./line-comment";

interface ShownDiff {
  attempt: number;
  /** If set, old lines are those of an earlier attempt, so comments on deleted lines have no place among them. */
  since: object | null;
  files: readonly { path: string }[];
}

/** Places each comment: below its line, above its file if the line is gone, or apart if the file is gone. */
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
