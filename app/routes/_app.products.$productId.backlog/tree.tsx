import { Link } from "@remix-run/react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { keepOrder } from "~/features/items/active-row";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { usePointerSelection } from "~/features/items/pointer-selection";
import { useRefusals } from "~/features/items/refusals";
import { useLinkArea } from "~/ui/link-area";
import { useWriteAccess } from "~/ui/write-access";
import type { TreeAddress } from "./tree-address";
import { TreeRowLine } from "./tree-row";
import type { TreeRow, TreeView } from "./tree-rows";

const VirtualRows = lazy(() => import("./virtual-rows"));
const BacklogMoves = lazy(() => import("./backlog-moves"));

/** Above this, browsers render only rows near the viewport; the server sends this many and a link to more. */
const manyRows = 60;

const rowKey = ({ id }: TreeRow) => id;

export function Tree({
  view,
  address,
  productId,
  hide,
  marked,
}: {
  view: TreeView;
  address: TreeAddress;
  productId: string;
  /** Parts that rows hide. */
  hide: string;
  /** The selected items. */
  marked: ReadonlySet<string>;
}) {
  const hydrated = useHydrated();
  const { canWrite } = useWriteAccess();
  const follow = useLinkArea();
  const select = usePointerSelection();
  const { list, shown, fresh, show } = useSteadyRows<TreeRow, HTMLElement>(view.rows, rowKey);
  const changed = useChangedRows(shown);
  const refusals = useRefusals();
  // For keys and ranges. Includes rows a long tree does not render; excludes rows held back.
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
      refusal={refusals.get(`${row.kind}:${row.id}`)}
      draggable={canWrite}
      toggleTo={toggleTo(row.code)}
      address={address}
      sprintsPath={`/products/${productId}/sprints`}
    />
  );
  const from = Number(address.params.get("from") ?? 0) || 0;
  const first = shown.slice(from, from + manyRows);
  const rest = shown.length - from - first.length;
  const plain = <div>{first.map(line)}</div>;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      ref={list}
      aria-label="Backlog tree"
      data-hide={hide || undefined}
      className="rounded-lg border border-line bg-surface"
      onClick={(event) => select(event) || follow(event)}
    >
      {hydrated && canWrite ? (
        <Suspense>
          <BacklogMoves list={list} />
        </Suspense>
      ) : null}
      <NewRowsBanner count={fresh} show={show} />
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

const nothing: ReadonlySet<string> = new Set();

/** Returns rows that changed since the last render, for a short highlight. Unfolding does not count. */
function useChangedRows(rows: readonly TreeRow[]): ReadonlySet<string> {
  const before = useRef<Map<string, string>>(new Map());
  const [changed, setChanged] = useState<ReadonlySet<string>>(nothing);
  useEffect(() => {
    const different: string[] = [];
    for (const row of rows) {
      const state = `${row.status} ${row.title} ${row.sprint ?? ""} ${row.labels?.map(({ id }) => id).join(" ") ?? ""}`;
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
