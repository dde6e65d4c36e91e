import { Link } from "@remix-run/react";
import clsx from "clsx";
import { lazy, Suspense, useRef, useState } from "react";

/** Suggestions load when the field is used. */
const Completion = lazy(() => import("./filter/completion"));

interface FilterBoxProps {
  page: "board" | "backlog";
  query: string;
  label: string;
  title: string;
  placeholder: string;
  className: string;
}

/** Filter field of boards and backlogs. */
export function FilterBox({ page, query, label, title, placeholder, className }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isNaming, setNaming] = useState(false);
  return (
    <span className={clsx("relative flex min-w-0", className)}>
      <input
        ref={input}
        type="search"
        name="q"
        data-filter
        defaultValue={query}
        aria-label={label}
        title={title}
        placeholder={placeholder}
        onFocus={() => setNaming(true)}
        className="h-8 w-full min-w-0 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
      />
      {isNaming ? (
        <Suspense>
          <Completion input={input} page={page} />
        </Suspense>
      ) : null}
    </span>
  );
}

/** How much a list does not show, and the link to it: to all, or to what it names. */
export function HiddenNote({ text, to, what }: { text: string; to: string; what?: string }) {
  return (
    <span className="flex items-center gap-2 text-sm text-muted">
      <span role="status">{text}</span>
      <Link
        to={to}
        data-show-all={what ? undefined : ""}
        preventScrollReset
        className="text-accent underline underline-offset-2 hover:decoration-2"
      >
        Show {what ? <span className="sr-only">{what}</span> : "all"}
      </Link>
    </span>
  );
}
