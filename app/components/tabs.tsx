import { NavLink } from "@remix-run/react";
import type { ReactNode } from "react";

export interface TabLink {
  to: string;
  label: string;
  end?: boolean;
  count?: ReactNode;
}

/** Tabs that are pages: links, so they work without script and can be opened beside each other. */
export function NavTabs({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((tab) => (
        <NavLink
          key={tab.to}
          to={tab.to}
          end={tab.end}
          prefetch="intent"
          className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-2.5 py-2 text-sm whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:py-3"
        >
          {tab.label}
          {tab.count}
        </NavLink>
      ))}
    </nav>
  );
}
