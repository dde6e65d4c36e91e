import { Link } from "@remix-run/react";

/** States of a list as links below its tabs. */
export function FilterLinks({
  label,
  current,
  links,
}: {
  label: string;
  current: string;
  links: readonly (readonly [value: string, label: string, to: string])[];
}) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1">
      {links.map(([value, text, to]) => (
        <Link
          key={value}
          to={to}
          aria-current={current === value ? "page" : undefined}
          className="rounded px-2 py-1 text-xs text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink pointer-coarse:px-3 pointer-coarse:py-2.5"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
