import { NavLink, useLocation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";

export interface TabLink {
  to: string;
  label: string;
  end?: boolean;
  count?: ReactNode;
}

/** Tabs that are pages: links, so they work without script and can be opened beside each other. */
export function NavTabs({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the page's own tab may lie beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another current tab
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav.current && current) {
      nav.current.scrollLeft =
        current.offsetLeft + current.offsetWidth / 2 - nav.current.offsetWidth / 2;
    }
  }, [pathname]);
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative mb-5 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none] max-lg:-mx-4 max-lg:px-4"
    >
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
