import { Link } from "@remix-run/react";

const states = [
  ["open", "Open"],
  ["answered", "Answered"],
  ["expired", "Expired"],
  ["cancelled", "Closed"],
] as const;

/** Questions that are over are kept: what was answered, by whom, and what nobody answered in time. */
export function StateTabs({ state }: { state: string }) {
  return (
    <nav aria-label="Questions by state" className="mb-4 flex flex-wrap gap-1">
      {states.map(([value, label]) => (
        <Link
          key={value}
          to={value === "open" ? "." : `?state=${value}`}
          aria-current={state === value ? "page" : undefined}
          className="rounded px-2 py-1 text-xs text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink pointer-coarse:px-3 pointer-coarse:py-2.5"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
