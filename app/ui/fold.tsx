import type { ReactNode } from "react";

/** A word in a line of facts that unfolds what is behind it, below the line. Works without script. */
export function Fold({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <details className="min-w-0 open:basis-full">
      <summary className="w-fit text-muted hover:text-ink pointer-coarse:py-2">{label}</summary>
      <div className="mt-2 grid gap-3 rounded-lg border border-line bg-surface p-4">{children}</div>
    </details>
  );
}

/** A text of which only the first line shows until it is pressed, and `more`. */
export function OneLine({ children, more }: { children: string; more?: ReactNode }) {
  return (
    <details className="group text-muted">
      <summary className="line-clamp-1 break-words group-open:line-clamp-none group-open:whitespace-pre-wrap">
        {children}
      </summary>
      {more}
    </details>
  );
}
