import { lazy, Suspense } from "react";
import { useHydrated } from "~/ui/use-hydrated";

const ThingKeys = lazy(() => import("./keys/thing-keys"));

/** A page that shows details beside its list in its own way. */
export interface OwnPeek {
  open: string | null;
  show: (thing: string | null) => void;
}

export interface ThingKeysProps {
  productId: string;
  /** Keys that mean something else on this page. */
  without?: string;
  ownPeek?: OwnPeek;
}

/** Keys, menus, bar and peek of a page with rows: they come after the page itself, which does not wait for them. */
export function ThingsAtHand(props: ThingKeysProps) {
  return useHydrated() ? (
    <Suspense>
      <ThingKeys {...props} />
    </Suspense>
  ) : null;
}
