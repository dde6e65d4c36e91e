import type { ReactNode } from "react";
import type { Aim } from "./board";
import type { CardTask } from "./board-look";
import { foldedLanes, type Lane } from "./board-look";
import { ColumnName } from "./column-name";
import { type Column, columns } from "./columns";
import { LaneHead } from "./lane-head";

/** The lanes of a grouped board. One without cards is a word at the end, where a card may be put too. */
export function Lanes({
  lanes,
  tasks,
  aim,
  address,
  cell,
}: {
  lanes: readonly Lane[];
  tasks: readonly CardTask[];
  aim: Aim | null;
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
        const isAim = aim?.lane === lane.key;
        return (
          <section
            key={lane.key}
            aria-label={lane.label}
            data-lane={lane.key}
            data-aim={(isAim && (isFolded || aim.status === null)) || undefined}
            className="lane"
          >
            <LaneHead
              lane={lane}
              tasks={tasks.filter(({ group }) => group === lane.key)}
              isFolded={isFolded}
              address={address}
              says={isAim ? aim.says : null}
            />
            {isFolded ? null : (
              <div className="cells">{columns.map((column) => cell(column, lane))}</div>
            )}
          </section>
        );
      })}
      <EmptyLanes lanes={lanes.filter(({ key, sets }) => sets && !held.has(key))} aim={aim} />
    </>
  );
}

function EmptyLanes({ lanes, aim }: { lanes: readonly Lane[]; aim: Aim | null }) {
  if (lanes.length === 0) return null;
  return (
    <p className="lane-empty">
      Nothing in
      {lanes.map(({ key, label }) => (
        <span
          key={key}
          data-lane={key}
          data-aim={aim?.lane === key || undefined}
          className="lane-chip"
        >
          {label}
        </span>
      ))}
      {lanes.some(({ key }) => key === aim?.lane) && aim?.says ? (
        <span className="lane-says">{aim.says}</span>
      ) : null}
    </p>
  );
}
