import { NavLink } from "@remix-run/react";
import { Tabs as RadixTabs } from "radix-ui";
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

export interface TabPanel {
  value: string;
  label: string;
  content: ReactNode;
}

/** Tabs within one page. Without script every panel but the first stays reachable through `noscript` pages. */
export function PanelTabs({ label, panels }: { label: string; panels: readonly TabPanel[] }) {
  return (
    <RadixTabs.Root defaultValue={panels[0]?.value}>
      <RadixTabs.List aria-label={label} className="mb-3 flex flex-wrap gap-1 border-b border-line">
        {panels.map((panel) => (
          <RadixTabs.Trigger
            key={panel.value}
            value={panel.value}
            className="-mb-px border-b-2 border-transparent px-2.5 py-1.5 text-sm text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {panel.label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {panels.map((panel) => (
        <RadixTabs.Content key={panel.value} value={panel.value}>
          {panel.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
