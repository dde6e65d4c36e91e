import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { useLocalMutation } from "~/ui/use-local-mutation";

/**
 * While the pointer or focus is in the list, rows that others add or reorder are only counted, and show on request or
 * once it is left alone. The user's own changes show at once, except with `onlyOthersAdd`.
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
    const update = () => {
      if (isOwn || !element?.matches(":hover, :focus-within")) show();
    };
    update();
    // On focusout, focus is nowhere until the next element gets it.
    const later = () => void setTimeout(update);
    element?.addEventListener("pointerleave", later);
    element?.addEventListener("focusout", later);
    return () => {
      element?.removeEventListener("pointerleave", later);
      element?.removeEventListener("focusout", later);
    };
  }, [isSame, isOwn, show]);
  return { list, shown: isOwn || isSame ? rows : kept, fresh: isSame ? null : rows.length - kept.length, show };
}

/** Shows how many new rows are held back, with a button that shows them. Overlays the list so that it moves no rows. */
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
