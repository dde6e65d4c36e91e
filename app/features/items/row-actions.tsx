import { lazy, Suspense } from "react";
import { useHydrated } from "remix-utils/use-hydrated";

const ItemKeys = lazy(() => import("./keys/item-keys"));

/** A page that shows details beside its list in its own way. */
export interface OwnPeek {
  open: string | null;
  /** What it is about to show, as long as its data is on its way. */
  coming: string | null;
  show: (item: string | null) => void;
}

export interface ItemKeysProps {
  productId: string;
  /** Keys that mean something else on this page. */
  without?: string;
  ownPeek?: OwnPeek;
}

/** Keys, menus, bar and peek of a page with rows: they come after the page itself, which does not wait for them. */
export function RowActions(props: ItemKeysProps) {
  return useHydrated() ? (
    <Suspense>
      <ItemKeys {...props} />
    </Suspense>
  ) : null;
}
