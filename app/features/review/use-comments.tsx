import { type ReactNode, useCallback, useRef, useState } from "react";
import type { Spot } from "~/features/diff/diff-view";
import { type BelowLine, lineKey } from "~/features/diff/line-column";
import type { JobComment } from "~/nouns/job-reviews/contract";
import { CommentForm, type Written } from "./comment-form";
import { LineComment } from "./line-comment";

/** A comment with the place of its file on the page; null if the file is gone. */
export type PlacedComment = JobComment & { index: number | null };

/**
 * Places each comment: below its line, above its file if the line is gone, or apart if the file is gone. A form that is
 * open while other changes arrive is kept apart with its text, and still belongs to the line that it was opened on.
 */
export function useComments(
  comments: readonly PlacedComment[],
  {
    of,
    since,
  }: {
    /** The attempts that the page shows. */
    of: string;
    /** If set, old lines are those of an earlier attempt, so comments on deleted lines have no place among them. */
    since?: object | null;
  },
) {
  const [written, setWritten] = useState<Written | null>(null);
  const texts = useRef(new Map<string, string>());
  const open = useCallback((spot: Spot) => setWritten({ ...spot, of }), [of]);
  const close = useCallback(() => setWritten(null), []);
  const below = new Map<number, Map<string, ReactNode>>();
  const above = new Map<number, ReactNode[]>();
  const apart: ReactNode[] = [];
  const put = (index: number, key: string, node: ReactNode): void => {
    const lines = below.get(index) ?? new Map<string, ReactNode>();
    lines.set(key, [lines.get(key), node]);
    below.set(index, lines);
  };
  const putApart = (key: string, path: string, node: ReactNode) =>
    apart.push(
      <div key={key}>
        <p className="font-mono text-xs break-all text-muted">{path}</p>
        {node}
      </div>,
    );
  for (const comment of comments) {
    const shown = <LineComment key={comment.id} comment={comment} />;
    const { id, index, path, side, current_line } = comment;
    const line = side === "old" && since != null ? null : current_line;
    if (index === null) putApart(id, path, shown);
    else if (line !== null) put(index, lineKey(side, line), shown);
    else above.set(index, [...(above.get(index) ?? []), shown]);
  }
  if (written) {
    const { index, path, side, line } = written;
    const name = `${written.of} ${index} ${side} ${line}`;
    const form = (
      <CommentForm key={name} written={written} texts={texts.current} name={name} onClose={close} />
    );
    if (written.of === of) put(index, lineKey(side, line), form);
    else putApart(name, `${path}:${line}`, form);
  }
  const belowLines: ReadonlyMap<number, BelowLine> = below;
  return { below: belowLines, above, apart, setSpot: open };
}
