import type { ReactNode } from "react";
import { Glyph } from "~/ui/sprite";
import { ColumnName, ColumnToggle } from "./board-column";
import {
  type CardTask,
  type Column,
  type ColumnWidth,
  columns,
  type DropTarget,
  foldedLanes,
  foldLink,
  type Lane,
} from "./board-settings";

interface LanesProps {
  lanes: readonly Lane[];
  tasks: readonly CardTask[];
  dropTarget: DropTarget | null;
  address: URLSearchParams;
  cell: (column: Column, lane: Lane) => ReactNode;
  widthOf: (status: string) => ColumnWidth;
}

/** The lanes of a grouped board. Lanes without cards are short drop targets at the end. */
export function Lanes({ lanes, tasks, dropTarget, address, cell, widthOf }: LanesProps) {
  const folded = foldedLanes(address);
  const filled = new Set(tasks.map(({ group }) => group));
  return (
    <>
      <div className="cells lane-columns">
        {columns.map((column) => {
          const { status, label } = column;
          const width = widthOf(status);
          return (
            <span key={status} data-width={width} className="column-head">
              <span aria-hidden="true" className="column-name">
                <ColumnName status={status} label={label} />
              </span>
              <ColumnToggle column={column} isCollapsed={width === "collapsed"} />
            </span>
          );
        })}
      </div>
      {lanes.map((lane) => {
        if (!filled.has(lane.key)) return null;
        const isFolded = folded.includes(lane.key);
        const isDropTarget = dropTarget?.lane === lane.key;
        return (
          <section
            key={lane.key}
            aria-label={lane.label}
            data-lane={lane.key}
            data-drop-target={(isDropTarget && (isFolded || dropTarget.status === null)) || undefined}
            className="lane"
          >
            <LaneHead
              lane={lane}
              tasks={tasks.filter(({ group }) => group === lane.key)}
              isFolded={isFolded}
              address={address}
              says={isDropTarget ? dropTarget.says : null}
            />
            {isFolded ? null : <div className="cells">{columns.map((column) => cell(column, lane))}</div>}
          </section>
        );
      })}
      <EmptyLanes lanes={lanes.filter(({ key, sets }) => sets && !filled.has(key))} dropTarget={dropTarget} />
    </>
  );
}

function EmptyLanes({ lanes, dropTarget }: { lanes: readonly Lane[]; dropTarget: DropTarget | null }) {
  if (lanes.length === 0) return null;
  return (
    <p className="lane-empty">
      Nothing in
      {lanes.map(({ key, label }) => (
        <span key={key} data-lane={key} data-drop-target={dropTarget?.lane === key || undefined} className="lane-chip">
          {label}
        </span>
      ))}
      {lanes.some(({ key }) => key === dropTarget?.lane) && dropTarget?.says ? (
        <span className="lane-says">{dropTarget.says}</span>
      ) : null}
    </p>
  );
}

interface LaneHeadProps {
  lane: Lane;
  tasks: readonly CardTask[];
  isFolded: boolean;
  address: URLSearchParams;
  /** What dropping the card held over the lane would do. */
  says?: string | null | undefined;
}

/** Heading of a lane: folds it, accepts dropped cards, and says what the drop would change. */
export function LaneHead({ lane: { key, label }, tasks, isFolded, address, says }: LaneHeadProps) {
  const done = tasks.filter(({ status }) => status === "done").length;
  return (
    <h2 className="lane-head">
      <a href={foldLink(address, key)} data-row data-fold data-replace aria-expanded={!isFolded} className="lane-fold">
        <Glyph name="fold" />
        <span className="truncate">{label}</span>
      </a>
      <span className={says ? "lane-says" : "lane-count"}>{says ?? `${done} of ${tasks.length} done`}</span>
    </h2>
  );
}
