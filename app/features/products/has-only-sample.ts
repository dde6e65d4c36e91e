import { useRouteLoaderData } from "@remix-run/react";

interface Shell {
  products: { code: string }[];
}

/** Whether the user has no product but the sample, as on their first day. */
export function useHasOnlySample(): boolean {
  const shell = useRouteLoaderData<Shell>("routes/_app");
  return shell?.products.every(({ code }) => code === "SAMPLE") ?? false;
}
