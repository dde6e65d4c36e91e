import { Tabs as RadixTabs } from "radix-ui";
import type { ReactNode } from "react";

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
