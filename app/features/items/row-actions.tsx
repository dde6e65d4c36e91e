import { lazy, memo, Suspense } from "react";
import { useHydrated } from "remix-utils/use-hydrated";

const ItemKeys = lazy(() => import("./item-keys"));

/** A page with its own details panel next to the list. */
export type OwnPeek = { open: string | null; show: (item: string | null) => void };

export interface ItemKeysProps {
  productId: string;
  /** Keys that the page uses otherwise. */
  without?: string;
  ownPeek?: OwnPeek;
}

/** Keys, menus, bar and peek for a page with rows. Loads after the page. */
export const RowActions = memo(function RowActions(props: ItemKeysProps) {
  return useHydrated() ? (
    <Suspense>
      <ItemKeys {...props} />
    </Suspense>
  ) : null;
});
