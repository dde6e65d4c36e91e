import { useEffect, useRef, useState } from "react";
import type { TreeRow } from "./tree-rows";

const nothing: ReadonlySet<string> = new Set();

/** Which visible rows changed since the last look, for a short highlight. Unfolding is no change. */
export function useChangedRows(rows: readonly TreeRow[]): ReadonlySet<string> {
  const before = useRef<Map<string, string>>(new Map());
  const [changed, setChanged] = useState<ReadonlySet<string>>(nothing);
  useEffect(() => {
    const different: string[] = [];
    for (const row of rows) {
      const state = `${row.status} ${row.title} ${row.sprint ?? ""}`;
      const known = before.current.get(row.id);
      if (known !== undefined && known !== state) different.push(row.id);
      before.current.set(row.id, state);
    }
    if (different.length === 0) return;
    setChanged(new Set(different));
    const timer = setTimeout(() => setChanged(nothing), 1600);
    return () => clearTimeout(timer);
  }, [rows]);
  return changed;
}
