import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

export interface Crumb {
  label: string;
  to: string;
}

/** A page's heading, breadcrumbs and main actions. */
export function PageHeader({
  title,
  crumbs,
  lead,
  actions,
}: {
  title: ReactNode;
  crumbs?: readonly Crumb[];
  lead?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <header className="mb-5 grid gap-1 [.grid>&]:mb-0">
      {crumbs?.length ? (
        <nav aria-label="Breadcrumbs" className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
          {crumbs.map((crumb, index) => (
            <span key={crumb.to} className="flex items-center gap-1.5">
              {index > 0 ? (
                <span aria-hidden="true" className="text-faint">
                  /
                </span>
              ) : null}
              <Link to={crumb.to} className="hover:text-ink hover:underline">
                {crumb.label}
              </Link>
            </span>
          ))}
        </nav>
      ) : null}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="grid min-w-0 flex-1 basis-48 gap-1">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead ? <div className="max-w-3xl text-sm text-muted">{lead}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
    </header>
  );
}
