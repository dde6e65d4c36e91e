import { useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Glyph } from "~/ui/sprite";
import type { CardTask, DropTarget } from "./board-settings";
import { foldedLanes, foldLink, type Lane } from "./board-settings";
import { ColumnName } from "./column-name";
import { type Column, columns } from "./columns";

/** The lanes of a grouped board. One without cards is a word at the end, where a card may be put too. */
export function Lanes({
  lanes,
  tasks,
  dropTarget,
  address,
  cell,
}: {
  lanes: readonly Lane[];
  tasks: readonly CardTask[];
  dropTarget: DropTarget | null;
  address: URLSearchParams;
  cell: (column: Column, lane: Lane) => ReactNode;
}) {
  const folded = foldedLanes(address);
  const held = new Set(tasks.map(({ group }) => group));
  return (
    <>
      <p aria-hidden="true" className="cells lane-columns">
        {columns.map(({ status, label }) => (
          <span key={status} className="column-head">
            <ColumnName status={status} label={label} />
          </span>
        ))}
      </p>
      {lanes.map((lane) => {
        if (!held.has(lane.key)) return null;
        const isFolded = folded.includes(lane.key);
        const isDropTarget = dropTarget?.lane === lane.key;
        return (
          <section
            key={lane.key}
            aria-label={lane.label}
            data-lane={lane.key}
            data-drop-target={
              (isDropTarget && (isFolded || dropTarget.status === null)) || undefined
            }
            className="lane"
          >
            <LaneHead
              lane={lane}
              tasks={tasks.filter(({ group }) => group === lane.key)}
              isFolded={isFolded}
              address={address}
              says={isDropTarget ? dropTarget.says : null}
            />
            {isFolded ? null : (
              <div className="cells">{columns.map((column) => cell(column, lane))}</div>
            )}
          </section>
        );
      })}
      <EmptyLanes
        lanes={lanes.filter(({ key, sets }) => sets && !held.has(key))}
        dropTarget={dropTarget}
      />
    </>
  );
}

function EmptyLanes({
  lanes,
  dropTarget,
}: {
  lanes: readonly Lane[];
  dropTarget: DropTarget | null;
}) {
  if (lanes.length === 0) return null;
  return (
    <p className="lane-empty">
      Nothing in
      {lanes.map(({ key, label }) => (
        <span
          key={key}
          data-lane={key}
          data-drop-target={dropTarget?.lane === key || undefined}
          className="lane-chip"
        >
          {label}
        </span>
      ))}
      {lanes.some(({ key }) => key === dropTarget?.lane) && dropTarget?.says ? (
        <span className="lane-says">{dropTarget.says}</span>
      ) : null}
    </p>
  );
}

/** The line above a lane: it folds the lane, takes cards that are dropped on it, and says what would become of them. */
export function LaneHead({
  lane: { key, label },
  tasks,
  isFolded,
  address,
  says,
}: {
  lane: Lane;
  tasks: readonly CardTask[];
  isFolded: boolean;
  address: URLSearchParams;
  /** About the card that is held over it. */
  says?: string | null | undefined;
}) {
  const done = tasks.filter(({ status }) => status === "done").length;
  return (
    <h2 className="lane-head">
      <a
        href={foldLink(address, key)}
        data-row
        data-fold
        data-replace
        aria-expanded={!isFolded}
        className="lane-fold"
      >
        <Glyph name="fold" />
        <span className="truncate">{label}</span>
      </a>
      <span className={says ? "lane-says" : "lane-count"}>
        {says ?? `${done} of ${tasks.length} done`}
      </span>
    </h2>
  );
}

/** The search parameters of the page that is coming: what is folded is so at once. */
export function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
}
