import { useRouteLoaderData } from "@remix-run/react";

/** What every signed-in page has around it. */
export interface ShellData {
  now: number;
  user: {
    id: string;
    username: string;
    isAdmin: boolean;
    isDemo: boolean;
    hasAvatar: boolean;
  };
  products: { id: string; code: string; name: string; role: "OWNER" | "MEMBER" | "VIEWER" }[];
  activeProductId: string | null;
  activeSprintId: string | null;
  /** How many things wait for this person and are neither done nor put off. */
  inbox: number;
  notice: string | null;
}

export function useShellData(): ShellData | undefined {
  return useRouteLoaderData<ShellData>("routes/_app");
}
