import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { TreeRow } from "./tree-rows";

/** A long tree: renders only rows near the viewport. */
export default function VirtualRows({ rows, line }: { rows: readonly TreeRow[]; line: (row: TreeRow) => ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 37,
    overscan: 20,
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
            ref={virtual.measureElement}
            data-index={item.index}
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
