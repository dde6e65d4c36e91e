import { Link, useLocation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { PageLink, useLinkArea } from "./link-area";

interface TabLink {
  to: string;
  label: string;
  end?: boolean;
  /** Whether this is the current tab, where its query says so and not its path. */
  current?: boolean;
  count?: ReactNode;
}

/** Tabs that are links to pages, so they work without script and can be opened in new tabs. */
export function NavTabs({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  const nav = useRef<HTMLElement>(null);
  const links = { onClick: useLinkArea() };
  const { pathname, search } = useLocation();
  // On a phone, the current tab may be off-screen: scroll it into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another current tab
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav.current && current) {
      nav.current.scrollLeft = current.offsetLeft + current.offsetWidth / 2 - nav.current.offsetWidth / 2;
    }
  }, [pathname, search]);
  return (
    <nav
      {...links}
      ref={nav}
      aria-label={label}
      className="relative mb-3 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none] max-lg:-mx-4 max-lg:px-4"
    >
      {tabs.map((tab) => (
        <PageLink key={tab.to} {...tab} className="tab">
          {tab.label}
          {tab.count}
        </PageLink>
      ))}
    </nav>
  );
}

interface FilterLinksProps {
  label: string;
  current: string;
  links: readonly (readonly [value: string, label: string, to: string])[];
}

/** States of a list as links below its tabs. */
export function FilterLinks({ label, current, links }: FilterLinksProps) {
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
