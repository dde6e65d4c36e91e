import { useRouteLoaderData } from "@remix-run/react";
import type { MouseEventHandler } from "react";

export interface ShellData {
  now: number;
  user: { id: string; username: string; isAdmin: boolean; isDemo: boolean; hasAvatar: boolean };
  products: { id: string; code: string; name: string; role: "OWNER" | "MEMBER" | "VIEWER" }[];
  activeProductId: string | null;
  activeSprintId: string | null;
  /** Number of open inbox items: not archived and not snoozed. */
  inbox: number;
  notice: string | null;
}

/** Of the bars around a page. They take no state of the router, so that a navigation draws only their links again. */
export interface BarProps {
  shell: ShellData;
  product: ShellData["products"][number] | undefined;
  onClick: MouseEventHandler<HTMLElement>;
}

export const useShellData = (): ShellData | undefined => useRouteLoaderData<ShellData>("routes/_app");
