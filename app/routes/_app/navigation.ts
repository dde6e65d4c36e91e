import {
  Activity,
  ChartNoAxesColumn,
  CircleHelp,
  Cpu,
  House,
  Inbox,
  Lightbulb,
  type LucideIcon,
  Plug,
  Settings,
  ShieldCheck,
} from "lucide-react";

export interface Destination {
  to: string;
  label: string;
  Icon: LucideIcon;
  /** Second key after `g`. */
  letter: string;
  /** Part of another place: keys and palette lead there, the bars do not. */
  within?: string;
}

/** The places of the whole service; those of one product are its tabs. */
export const destinations: readonly Destination[] = [
  { to: "/dashboard", label: "Dashboard", Icon: House, letter: "d" },
  { to: "/inbox", label: "Inbox", Icon: Inbox, letter: "u" },
  { to: "/questions", label: "Questions", Icon: CircleHelp, letter: "q", within: "/inbox" },
  { to: "/ideas", label: "Ideas", Icon: Lightbulb, letter: "i" },
  { to: "/jobs", label: "Jobs", Icon: Activity, letter: "j" },
  { to: "/workers", label: "Workers", Icon: Cpu, letter: "w" },
  { to: "/insights", label: "Insights", Icon: ChartNoAxesColumn, letter: "n" },
];

export const setupDestinations: readonly Destination[] = [
  { to: "/connect", label: "Connect an agent", Icon: Plug, letter: "a" },
  { to: "/settings", label: "Settings", Icon: Settings, letter: "t" },
];

export const adminDestination: Destination = {
  to: "/admin",
  label: "Administration",
  Icon: ShieldCheck,
  letter: "x",
};

/** Pages of one product, as tabs and as keys. */
export const productPages = [
  { page: "backlog", label: "Backlog", letter: "b" },
  { page: "sprints", label: "Sprints", letter: "s" },
  { page: "solo", label: "Solo", letter: "o" },
  { page: "runs", label: "Runs", letter: "r" },
  { page: "members", label: "Members", letter: "m" },
  { page: "settings", label: "Settings", letter: "p" },
] as const;

export function productPath(productId: string, page: string): string {
  return `/products/${productId}/${page}`;
}
