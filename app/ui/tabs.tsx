import { useLocation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { PlaceLink, useLinkArea } from "./link-area";

export interface TabLink {
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
      nav.current.scrollLeft =
        current.offsetLeft + current.offsetWidth / 2 - nav.current.offsetWidth / 2;
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
        <PlaceLink key={tab.to} {...tab} className="tab">
          {tab.label}
          {tab.count}
        </PlaceLink>
      ))}
    </nav>
  );
}
