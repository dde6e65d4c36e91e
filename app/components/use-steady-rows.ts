import { useCallback, useEffect, useRef, useState } from "react";

/**
 * The rows of a live list, newest first, that do not move away from under a pointer or the focus: while one of
 * them is in the list, what is new is counted instead, and comes when it is asked for or the list is left alone.
 */
export function useSteadyRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string) {
  const list = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState(() => new Set(rows.map(keyOf)));
  const fresh = rows.filter((row) => !known.has(keyOf(row))).length;
  const show = useCallback(() => setKnown(new Set(rows.map(keyOf))), [rows, keyOf]);
  useEffect(() => {
    if (fresh > 0 && !list.current?.matches(":hover, :focus-within")) show();
  }, [fresh, show]);
  return { list, shown: rows.filter((row) => known.has(keyOf(row))), fresh, show };
}
