import type { IconName } from "~/ui/icon";

export interface Destination {
  to: string;
  label: string;
  icon: IconName;
  /** Second key after `g`. */
  letter: string;
  /** Belongs to another destination: listed in keys and palette, but not in the bars. */
  within?: string;
}

/** Destinations of the whole service. Those of a product are its tabs. */
export const destinations: readonly Destination[] = [
  { to: "/dashboard", label: "Dashboard", icon: "house", letter: "d" },
  { to: "/inbox", label: "Inbox", icon: "inbox", letter: "i" },
  { to: "/inbox?show=questions", label: "Questions", icon: "circle-question-mark", letter: "q", within: "/inbox" },
  { to: "/ideas", label: "Ideas", icon: "lightbulb", letter: "l" },
  { to: "/agents", label: "Agents", icon: "activity", letter: "j" },
  { to: "/agents/runs", label: "Runs", icon: "clipboard-list", letter: "r", within: "/agents" },
  { to: "/agents/workers", label: "Workers", icon: "cpu", letter: "w", within: "/agents" },
  { to: "/insights", label: "Insights", icon: "chart-no-axes-column", letter: "n" },
];

/** The last is for administrators. */
export const setupDestinations = (isAdmin: boolean): readonly Destination[] => [
  { to: "/connect", label: "Connect an agent", icon: "plug", letter: "a" },
  { to: "/settings", label: "Settings", icon: "settings", letter: "t" },
  ...(isAdmin ? [{ to: "/admin", label: "Administration", icon: "shield-check", letter: "x" } as const] : []),
];

export const productPages = [
  { page: "backlog", label: "Backlog", letter: "b" },
  { page: "sprints", label: "Sprints", letter: "s" },
  { page: "solo", label: "My work", letter: "o" },
  { page: "members", label: "Members", letter: "m" },
  { page: "settings", label: "Settings", letter: "e" },
] as const;

/** Tab of products that use triage or have items in it. */
export const triagePage = { page: "triage", label: "Triage", letter: "y" } as const;

export const productPath = (productId: string, page: string): string => `/products/${productId}/${page}`;
