import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { TreeRow } from "./tree-rows";

/** A long tree: renders only rows near the viewport. */
export default function VirtualRows({ rows, line }: { rows: readonly TreeRow[]; line: (row: TreeRow) => ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  const [{ offset, height }, setPlace] = useState({ offset: 0, height: 36 });
  // Rows are of one height, with letters of any size: measured once.
  useLayoutEffect(() => {
    const { offsetTop = 0, firstElementChild } = list.current ?? {};
    setPlace({ offset: offsetTop, height: firstElementChild?.getBoundingClientRect().height || 36 });
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 10,
    scrollMargin: offset,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  return (
    <div ref={list} className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        return (
          <div
            key={item.key}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start - offset}px)` }}
          >
            {line(row)}
          </div>
        );
      })}
    </div>
  );
}
