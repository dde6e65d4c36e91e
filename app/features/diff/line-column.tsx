import clsx from "clsx";
import { Fragment, type ReactNode } from "react";
import type { ShownLine } from "./shown-diff";

export type Side = "old" | "new";

/** Content below a line: comments, and the comment form. */
export type BelowLine = ReadonlyMap<string, ReactNode>;

export function lineKey(side: Side, line: number): string {
  return `${side}:${line}`;
}

/** One side of a segment. Thousands of lines are one HTML string, split only where content follows a line. */
export function LineColumn(props: {
  side: Side;
  lines: readonly ShownLine[];
  below: BelowLine;
  /** The left copy of unchanged lines, visible in split view only. */
  isTwin?: boolean;
}) {
  const { side, lines, below, isTwin = false } = props;
  const parts: { html: string; after: ReactNode; key: number }[] = [];
  let html = "";
  for (const line of lines) {
    const [kind, old, next, code] = line;
    const number = side === "old" ? old : next;
    html += `<div class="l ${kind}" data-${side === "old" ? "o" : "n"}="${number}">${code}</div>`;
    const after = number === null || isTwin ? undefined : below.get(lineKey(side, number));
    if (after === undefined) continue;
    parts.push({ html, after, key: number ?? 0 });
    html = "";
  }
  return (
    <div className={clsx("min-w-0", side, isTwin && "twin")} aria-hidden={isTwin || undefined}>
      {parts.map((part) => (
        <Fragment key={part.key}>
          <Lines html={part.html} />
          {part.after}
        </Fragment>
      ))}
      {html ? <Lines html={html} /> : null}
    </div>
  );
}

function Lines({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: escaped and colored by showLines on the server
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
