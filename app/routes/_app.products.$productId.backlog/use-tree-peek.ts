import { useNavigate } from "@remix-run/react";
import { useEffect, useMemo } from "react";
import { keepOrder } from "~/components/things/at-hand";
import type { OwnPeek } from "~/components/things/things-at-hand";
import type { TreeAddress } from "./tree-address";
import type { TreeRow } from "./tree-rows";

/** Peeking opens the panel of the line and leaves the focus in the tree. */
export function useTreePeek(address: TreeAddress, rows: readonly TreeRow[]): OwnPeek {
  const navigate = useNavigate();
  useEffect(() => {
    keepOrder(rows.map(({ kind, id }) => `${kind}:${id}`));
    return () => keepOrder(null);
  }, [rows]);
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
