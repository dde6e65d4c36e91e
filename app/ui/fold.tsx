import { type ReactNode, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";

/** A word in a line of facts that unfolds what is behind it, below the line. Works without script. */
export function Fold({ id, label, children }: { id?: string; label: ReactNode; children: ReactNode }) {
  return (
    <details id={id} className="min-w-0 scroll-mt-14 open:basis-full">
      <summary className="w-fit text-muted hover:text-ink pointer-coarse:py-2">{label}</summary>
      <div className="mt-2 grid gap-3 rounded-lg border border-line bg-surface p-4">{children}</div>
    </details>
  );
}

/** A text of which only the first line shows until it is pressed, unless it is `open`, and `more`. */
export function OneLine({ children, more, open }: { children: string; more?: ReactNode; open?: boolean }) {
  return (
    <details open={open} className="group min-w-0 grow basis-56 text-muted">
      <summary className="line-clamp-1 break-words group-open:line-clamp-none group-open:whitespace-pre-wrap">
        {children}
      </summary>
      {more}
    </details>
  );
}

type FoldedTableProps = { className: string; summary: ReactNode; children: () => ReactNode };

/** A table that is drawn once it is opened. A page that came as a document has it from the start, for those without script. */
export function FoldedTable({ className, summary, children }: FoldedTableProps) {
  const isLater = useHydrated();
  const [isDrawn, setDrawn] = useState(!isLater);
  return (
    <details className={className} onToggle={() => setDrawn(true)}>
      {summary}
      {isDrawn ? children() : null}
    </details>
  );
}
