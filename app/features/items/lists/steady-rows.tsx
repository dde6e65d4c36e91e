import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { useLocalMutation } from "~/ui/use-local-mutation";

/**
 * The rows of a live list that do not move away from under a pointer or the focus: while one of them is in the list, what
 * others add or reorder is counted instead, and comes when it is asked for or the list is left alone. What its user does
 * shows at once, unless nothing that one does there adds a row.
 */
export function useSteadyRows<Row, List extends HTMLElement = HTMLDivElement>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { onlyOthersAdd = false } = {},
) {
  const list = useRef<List>(null);
  const isOwn = useLocalMutation() && !onlyOthersAdd;
  const [known, setKnown] = useState<readonly string[]>(() => rows.map(keyOf));
  const kept = useMemo(() => {
    const rowOf = new Map(rows.map((row) => [keyOf(row), row]));
    return known.flatMap((key) => rowOf.get(key) ?? []);
  }, [known, rows, keyOf]);
  const isSame = kept.length === rows.length && kept.every((row, index) => row === rows[index]);
  const show = useCallback(() => setKnown(rows.map(keyOf)), [rows, keyOf]);
  useEffect(() => {
    if (isSame) return;
    const element = list.current;
    const look = () => {
      if (isOwn || !element?.matches(":hover, :focus-within")) show();
    };
    look();
    // The focus is nowhere for a moment before it is elsewhere.
    const later = () => void setTimeout(look);
    element?.addEventListener("pointerleave", later);
    element?.addEventListener("focusout", later);
    return () => {
      element?.removeEventListener("pointerleave", later);
      element?.removeEventListener("focusout", later);
    };
  }, [isSame, isOwn, show]);
  return {
    list,
    shown: isOwn || isSame ? rows : kept,
    fresh: isSame ? null : rows.length - kept.length,
    show,
  };
}

/**
 * In place of rows that would push others away: how many there are, and the button that lets them in. It lies over
 * the list, so that it pushes nothing either.
 */
export function NewRowsBanner({ count, show }: { count: number | null; show: () => void }) {
  return (
    <div role="status" className="sticky top-16 z-10 h-0 text-center">
      {count === null ? null : (
        <Button size="sm" onClick={show} className="-translate-y-1/2 shadow-pop">
          {count === 0 ? "Show the new order" : `${count} new`}
        </Button>
      )}
    </div>
  );
}
