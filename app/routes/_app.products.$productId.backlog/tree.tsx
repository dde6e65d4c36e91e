import { Link } from "@remix-run/react";
import { lazy, Suspense } from "react";
import { useHydrated } from "~/components/use-hydrated";
import { useBacklogMoves } from "./backlog-moves";
import type { TreeAddress } from "./tree-address";
import { TreeRowLine } from "./tree-row";
import type { TreeRow, TreeView } from "./tree-rows";
import { useChangedRows } from "./use-changed-rows";

const VirtualRows = lazy(() => import("./virtual-rows"));

/** Above this the browser draws only what is near the viewport; the server sends this many and a way to the next. */
const manyRows = 200;

export function Tree({ view, address }: { view: TreeView; address: TreeAddress }) {
  const hydrated = useHydrated();
  const { dropOn, trackers } = useBacklogMoves();
  const changed = useChangedRows(view.rows);
  const line = (row: TreeRow) => (
    <TreeRowLine
      key={row.id}
      row={row}
      selected={address.panel === `${row.kind}:${row.id}`}
      changed={changed.has(row.id)}
      toggleTo={address.toggleTo(view.open, row.code, view.rows)}
      address={address}
      onDrop={dropOn}
    />
  );
  const from = Number(address.params.get("from") ?? 0) || 0;
  const first = view.rows.slice(from, from + manyRows);
  const rest = view.rows.length - from - first.length;
  const plain = first.map(line);
  return (
    <section aria-label="Backlog tree" className="rounded-lg border border-line bg-surface">
      {trackers}
      {hydrated && view.rows.length > manyRows ? (
        <Suspense fallback={plain}>
          <VirtualRows rows={view.rows} line={line} />
        </Suspense>
      ) : (
        plain
      )}
      {!hydrated && rest > 0 ? (
        <p className="p-3 text-center text-sm">
          <Link
            to={address.filterTo({ from: String(from + manyRows) })}
            className="text-accent underline"
          >
            Show the next of {rest} more rows
          </Link>
        </p>
      ) : null}
    </section>
  );
}
