import { useHydrated } from "~/components/use-hydrated";

/** Says whether changes of others appear by themselves. */
export function LiveIndicator() {
  const hydrated = useHydrated();
  return hydrated ? null : null;
}
