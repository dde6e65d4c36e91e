import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { Mark } from "~/ui/icon";
import { PageTitle } from "~/ui/page-header";

type AuthFrameProps = { title: string; lead?: ReactNode; children: ReactNode; footer?: ReactNode };

/** Layout of the pages before sign-in: logo, one task, and a footer with a link onward. */
export function AuthFrame({ title, lead, children, footer }: AuthFrameProps) {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-md content-center gap-6 px-5 py-10">
      <Link to="/" className="flex items-center gap-2 justify-self-center text-lg font-semibold tracking-tight">
        <Mark className="size-7" />
        Backloom
      </Link>
      <div className="grid gap-5 rounded-lg border border-line bg-surface p-6">
        <header className="grid gap-1">
          <PageTitle>{title}</PageTitle>
          {lead ? <p className="text-sm text-muted">{lead}</p> : null}
        </header>
        {children}
      </div>
      {footer ? <div className="grid justify-items-center gap-2 text-sm text-muted">{footer}</div> : null}
    </main>
  );
}
