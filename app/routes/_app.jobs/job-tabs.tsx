import { Link } from "@remix-run/react";

const tabClass =
  "-mb-px border-b-2 border-transparent px-2.5 py-2 text-sm text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:py-3";

export function JobTabs({ all }: { all: boolean }) {
  return (
    <nav aria-label="Jobs by state" className="mb-5 flex gap-1 border-b border-line">
      <Link to="." aria-current={all ? undefined : "page"} className={tabClass}>
        Unfinished
      </Link>
      <Link to="?state=all" aria-current={all ? "page" : undefined} className={tabClass}>
        All
      </Link>
    </nav>
  );
}
