import { type RefObject, useEffect, useRef } from "react";
import type { CardTask } from "./board-settings";
import { markShownColumn, showColumn } from "./column-sight";
import { columnOfWork } from "./column-widths";
import { columns } from "./columns";

/** Shown on phones, where one column is visible: the card count of every column, and buttons that scroll to it. */
export default function ColumnStrip({
  board,
  tasks,
}: {
  board: RefObject<HTMLElement>;
  tasks: readonly CardTask[];
}) {
  const first = columnOfWork(tasks);
  // The board opens at the column with work and does not scroll by itself afterwards.
  const opensAt = useRef(first);
  useEffect(() => {
    if (opensAt.current) showColumn(board.current, opensAt.current);
    return markShownColumn(board.current);
  }, [board]);
  return (
    <nav aria-label="Columns" className="flex gap-1">
      {columns.map(({ status, label }) => {
        const count = tasks.filter((task) => task.status === status).length;
        return (
          <button
            key={status}
            type="button"
            data-strip={status}
            aria-label={`Show ${label}: ${count}`}
            onClick={() => showColumn(board.current, status)}
          >
            {label} <span className="font-normal">{count}</span>
          </button>
        );
      })}
    </nav>
  );
}
