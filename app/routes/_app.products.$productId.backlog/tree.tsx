import { Link } from "@remix-run/react";
import { lazy, memo, Suspense, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { keepOrder } from "~/features/items/active-row";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { usePointerSelection } from "~/features/items/selection";
import { useRefusals } from "~/features/items/use-changes";
import { LabelChips } from "~/features/labels/label-chips";
import { useLinkArea } from "~/ui/link-area";
import { LiveText } from "~/ui/live-text";
import { Glyph } from "~/ui/sprite";
import { StatusIcon, statusLook } from "~/ui/status";
import { useWriteAccess } from "~/ui/write-access";
import type { BacklogTree } from "~/wire/pages/contract";
import type { TreeAddress } from "./tree-address";
import type { TreeRow, TreeView } from "./tree-rows";

export const importVirtualRows = () => import("./virtual-rows");
const VirtualRows = lazy(importVirtualRows);
const BacklogMoves = lazy(() => import("./backlog-moves"));

/** Above this, browsers render only rows near the viewport; the server draws this many and a link to more. */
const manyRows = 60;

const rowKey = ({ id }: TreeRow) => id;

export function Tree({
  view,
  sprints,
  address,
  productId,
  hide,
  marked,
}: {
  view: TreeView;
  sprints: BacklogTree["sprints"];
  address: TreeAddress;
  productId: string;
  hide: string;
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
  const sprintIds = new Map(sprints.map(({ code, id }) => [code, id]));
  const line = (row: TreeRow) => (
    <TreeRowLine
      key={row.id}
      row={row}
      selected={address.panel === `${row.kind}:${row.id}`}
      marked={marked.has(`${row.kind}:${row.id}`)}
      changed={changed.has(row.id)}
      refusal={refusals.get(`${row.kind}:${row.id}`)}
      draggable={canWrite}
      toggleTo={row.kind === "task" ? "" : toggleTo(row.code)}
      links={address.links}
      sprintTo={`/products/${productId}/sprints/${row.pastSprintId ?? sprintIds.get(row.sprint ?? "")}`}
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
      {!hydrated && rest > 0 ? <NextRows rest={rest} to={address.filterTo({ from: String(from + manyRows) })} /> : null}
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

interface TreeRowLineProps {
  row: TreeRow;
  selected: boolean;
  changed: boolean;
  marked: boolean;
  refusal: string | undefined;
  draggable: boolean;
  toggleTo: string;
  links: TreeAddress["links"];
  sprintTo: string;
}

/** One row of the tree. There may be thousands, so it uses plain links, followed by the tree. */
const TreeRowLine = memo(function TreeRowLine({
  row,
  selected,
  changed,
  marked,
  refusal,
  draggable,
  toggleTo,
  links,
  sprintTo,
}: TreeRowLineProps) {
  const { kind, id, code } = row;
  const look = statusLook(row.status);
  return (
    <div
      data-line={`${kind}:${id}`}
      data-changed={changed || undefined}
      data-selected={selected || undefined}
      data-marked={marked || undefined}
      data-drag={(draggable && kind !== "task") || undefined}
      className={`line line-${kind}`}
    >
      {kind === "task" ? null : <Fold row={row} to={toggleTo} />}
      <span className="line-code" data-code data-toggle title="Select">
        {code}
      </span>
      <a href={links.panelTo(`${kind}:${id}`)} data-row className="line-title">
        {marked ? <span className="sr-only">Selected: </span> : null}
        <LiveText>{row.title}</LiveText>
      </a>
      {refusal ? (
        <span className="line-state" data-tone="refused" title={refusal}>
          {`Not saved: ${refusal}`}
        </span>
      ) : row.state ? (
        <span className="line-state" data-tone={row.state.tone}>
          {row.state.text}
        </span>
      ) : null}
      <LabelChips labels={row.labels} />
      {row.hasPr ? (
        <span role="img" data-part="pull" title="Has a pull request" aria-label="has a pull request">
          <Glyph name="pull" />
        </span>
      ) : null}
      {row.sprint || row.pastSprintId ? (
        <a href={sprintTo} data-part="sprint" className="line-sprint">
          {row.sprint ?? "past sprint"}
        </a>
      ) : null}
      {kind === "task" ? null : <Below row={row} />}
      {kind === "task" ? null : (
        <a
          href={kind === "pbi" ? links.newStoryTo(id) : links.newTaskTo(id)}
          aria-label={kind === "pbi" ? `New story in ${code}` : `New task in ${code}`}
          className="line-add"
        >
          <Glyph name="add" />
        </a>
      )}
      <span title={look.label} data-status={row.status} className="line-status">
        <StatusIcon tone={look.tone} />
        <span className="max-md:sr-only">{look.label}</span>
      </span>
    </div>
  );
});

function Fold({ row, to }: { row: TreeRow; to: string }) {
  if (!row.total) return <span className="line-fold invisible w-6" />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: it must work without script, so it is a link
    <a
      href={to}
      role="button"
      aria-expanded={row.open}
      aria-label={`${row.open ? "Collapse" : "Expand"} ${row.code}`}
      className="line-fold"
    >
      <Glyph name="fold" />
    </a>
  );
}

/** "3/8": how many children are done. */
function Below({ row: { kind, done, total } }: { row: TreeRow }) {
  if (!total) return null;
  const noun = kind === "pbi" ? "stories" : "tasks";
  return (
    <span className="line-below" data-part="count" title={`${done} of ${total} ${noun} done`}>
      {`${done}/${total}`}
    </span>
  );
}
