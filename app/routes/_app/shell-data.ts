import { useRouteLoaderData } from "@remix-run/react";

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

export const useShellData = (): ShellData | undefined => useRouteLoaderData<ShellData>("routes/_app");
