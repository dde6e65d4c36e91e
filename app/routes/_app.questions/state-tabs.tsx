import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

const tabs = [
  ["open", "Open"],
  ["answered", "Answered"],
  ["expired", "Expired"],
  ["cancelled", "Closed"],
] as const;

export function StateTabs({ state, open }: { state: string; open: ReactNode }) {
  return (
    <nav
      aria-label="Questions by state"
      className="mb-5 flex gap-1 overflow-x-auto border-b border-line"
    >
      {tabs.map(([value, label]) => (
        <Link
          key={value}
          to={value === "open" ? "." : `?state=${value}`}
          aria-current={state === value ? "page" : undefined}
          className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-2.5 py-2 text-sm text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:py-3"
        >
          {label}
          {value === "open" ? open : null}
        </Link>
      ))}
    </nav>
  );
}
