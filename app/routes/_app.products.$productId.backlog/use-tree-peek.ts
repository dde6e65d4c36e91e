import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import type { OwnPeek } from "~/features/items/things-at-hand";
import type { TreeAddress } from "./tree-address";

/** Peeking opens the panel of the line and leaves the focus in the tree. */
export function useTreePeek(address: TreeAddress): OwnPeek {
  const navigate = useNavigate();
  return useMemo(
    () => ({
      open: address.panel,
      show: (thing) =>
        navigate(address.panelTo(thing), {
          state: { peek: true },
          replace: address.panel !== null,
          preventScrollReset: true,
        }),
    }),
    [address, navigate],
  );
}
