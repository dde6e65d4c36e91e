import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  id?: string;
  /** Without padding: rows and tables reach the card's edge. */
  flush?: boolean;
}

/** A card with a heading and, on the right, its actions. */
export function Section({ title, about, actions, children, id, flush = false }: SectionProps) {
  return (
    <section id={id} aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-3 pb-2">
        <div className="grid min-w-0 gap-0.5">
          <h2 className="text-base font-semibold">{title}</h2>
          {about ? <p className="max-w-2xl text-sm text-muted">{about}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      <div className={flush ? "border-t border-line" : "px-4 pb-4"}>{children}</div>
    </section>
  );
}

/** A list of terms and values, in as many columns as fit. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(6rem,1fr))] gap-x-6 gap-y-3 sm:grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))]">
      {children}
    </dl>
  );
}

interface FactProps {
  term: string;
  /** A number that the page is about. */
  isKey?: boolean;
  children: ReactNode;
}

export function Fact({ term, isKey = false, children }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{term}</dt>
      <dd
        data-key={isKey || undefined}
        className={`wrap-anywhere ${isKey ? "text-lg font-semibold sm:text-xl" : "text-sm font-medium"}`}
      >
        {children}
      </dd>
    </div>
  );
}
