import { Link } from "@remix-run/react";
import { lazy, Suspense, useEffect } from "react";
import { FreshRows } from "~/components/fresh-rows";
import { KeptRows } from "~/components/kept-rows";
import { useLinkArea } from "~/components/link-area";
import { keepOrder } from "~/components/things/at-hand";
import { usePointerSelection } from "~/components/things/use-pointer-selection";
import { useHydrated } from "~/components/use-hydrated";
import { useSteadyRows } from "~/components/use-steady-rows";
import { useWriteAccess } from "~/components/write-access";
import { useBacklogMoves } from "./backlog-moves";
import { lineUnder, startLineDrag } from "./drag";
import type { TreeAddress } from "./tree-address";
import { TreeRowLine } from "./tree-row";
import type { TreeRow, TreeView } from "./tree-rows";
import { useChangedRows } from "./use-changed-rows";

const VirtualRows = lazy(() => import("./virtual-rows"));

/** Above this the browser draws only what is near the viewport; the server sends this many and a way to the next. */
const manyRows = 200;

const rowKey = ({ id }: TreeRow) => id;

export function Tree({
  view,
  address,
  productId,
  hide,
  marked,
  isSelecting,
}: {
  view: TreeView;
  address: TreeAddress;
  productId: string;
  /** Parts that lines leave out. */
  hide: string;
  /** What is selected. */
  marked: ReadonlySet<string>;
  /** A click selects instead of opening. */
  isSelecting: boolean;
}) {
  const hydrated = useHydrated();
  const { canWrite } = useWriteAccess();
  const { dropOn, trackers } = useBacklogMoves();
  const follow = useLinkArea();
  const select = usePointerSelection(isSelecting);
  const { list, shown, fresh, show } = useSteadyRows<TreeRow, HTMLElement>(view.rows, rowKey);
  const changed = useChangedRows(shown);
  // For keys and ranges: what a long tree does not draw is in it, what still waits is not.
  useEffect(() => {
    keepOrder(shown.map(({ kind, id }) => `${kind}:${id}`));
    return () => keepOrder(null);
  }, [shown]);
  const toggleTo = address.toggles(view.isAllOpen);
  const line = (row: TreeRow) => (
    <TreeRowLine
      key={row.id}
      row={row}
      selected={address.panel === `${row.kind}:${row.id}`}
      marked={marked.has(`${row.kind}:${row.id}`)}
      changed={changed.has(row.id)}
      draggable={canWrite}
      toggleTo={toggleTo(row.code)}
      address={address}
      sprintsPath={`/products/${productId}/sprints`}
    />
  );
  const from = Number(address.params.get("from") ?? 0) || 0;
  const first = shown.slice(from, from + manyRows);
  const rest = shown.length - from - first.length;
  const look = `${productId}\n${address.params}\n${view.isAllOpen}\n`;
  const plain = (
    <KeptRows as="div" rows={first} draw={line} keyOf={(row) => look + JSON.stringify(row)} />
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      ref={list}
      aria-label="Backlog tree"
      data-hide={hide || undefined}
      className="rounded-lg border border-line bg-surface"
      onClick={(event) => select(event) || follow(event)}
      onDragStart={startLineDrag}
      onDragOver={(event) => lineUnder(event)?.kind === "pbi" && event.preventDefault()}
      onDrop={dropOn}
    >
      {trackers}
      <FreshRows count={fresh} show={show} />
      {hydrated && shown.length > manyRows ? (
        <Suspense fallback={plain}>
          <VirtualRows rows={shown} line={line} />
        </Suspense>
      ) : (
        plain
      )}
      {!hydrated && rest > 0 ? (
        <NextRows rest={rest} to={address.filterTo({ from: String(from + manyRows) })} />
      ) : null}
    </section>
  );
}

function NextRows({ rest, to }: { rest: number; to: string }) {
  return (
    <p className="p-3 text-center text-sm">
      <Link to={to} className="text-accent underline">
        Show the next of {rest} more rows
      </Link>
    </p>
  );
}
