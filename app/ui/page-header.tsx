import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

const longCrumb = 16;

export type Crumb = { label: string; to: string };

/** The one heading of a page. */
export function PageTitle({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <h1 id={id} className="text-xl font-semibold tracking-tight sm:text-2xl">
      {children}
    </h1>
  );
}

type PageHeaderProps = { title: ReactNode; crumbs?: readonly Crumb[]; lead?: ReactNode; actions?: ReactNode };

/** A page's heading, breadcrumbs and main actions. A long crumb is cut: the line stays one line. */
export function PageHeader({ title, crumbs, lead, actions }: PageHeaderProps) {
  return (
    <header className="mb-4 grid gap-1 [.grid>&]:mb-0">
      {crumbs?.length ? (
        <nav aria-label="Breadcrumbs" className="flex items-center gap-1.5 text-sm text-muted">
          {crumbs.map((crumb, index) => (
            <span
              key={crumb.to}
              className={`flex items-center gap-1.5 ${crumb.label.length > longCrumb ? "min-w-0" : "shrink-0"}`}
            >
              {index > 0 ? (
                <span aria-hidden="true" className="text-faint">
                  /
                </span>
              ) : null}
              <Link
                to={crumb.to}
                title={crumb.label.length > longCrumb ? crumb.label : undefined}
                className="truncate hover:text-ink hover:underline"
              >
                {crumb.label}
              </Link>
            </span>
          ))}
        </nav>
      ) : null}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="grid min-w-0 flex-1 basis-48 gap-1">
          <PageTitle>{title}</PageTitle>
          {lead ? <div className="max-w-3xl text-sm text-muted">{lead}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
    </header>
  );
}
