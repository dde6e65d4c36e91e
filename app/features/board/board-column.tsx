import type { ReactElement, ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { Glyph } from "~/ui/sprite";
import { StatusIcon, statusLook } from "~/ui/status";
import { useWriteAccess } from "~/ui/write-access";
import {
  type CardTask,
  type Column,
  type ColumnWidth,
  type DropTarget,
  type Lane,
  movableColumns,
} from "./board-settings";

/** The cards of one status, for the whole board or one lane. */
export function BoardColumn({
  column,
  lane,
  tasks,
  width,
  dropTarget,
  card,
  address,
  takesNew,
  children,
}: {
  column: Column;
  lane: Lane | undefined;
  tasks: readonly CardTask[];
  width: ColumnWidth;
  dropTarget: DropTarget | null;
  card: (task: CardTask) => ReactElement;
  address: URLSearchParams;
  takesNew: boolean;
  children: ReactNode;
}) {
  const { status, label } = column;
  const cards = tasks.filter((task) => task.status === status && task.group === lane?.key);
  const Heading = lane ? "h3" : "h2";
  const isDropTarget = dropTarget?.status === status && dropTarget.lane === (lane?.key ?? null);
  const isCollapsed = width === "collapsed";
  return (
    <section
      role={lane ? "group" : undefined}
      aria-label={`${label}: ${cards.length}`}
      data-column={status}
      data-width={width}
      data-drop-target={isDropTarget || undefined}
      className="column"
    >
      <div className="column-head">
        <Heading className="column-name">
          <ColumnName status={status} label={label} />
          <span className="font-normal text-muted">{cards.length}</span>
        </Heading>
        {isCollapsed || !takesNew ? null : <NewCardLink column={column} lane={lane} address={address} />}
        {lane ? null : <ColumnToggle column={column} isCollapsed={isCollapsed} />}
      </div>
      {isCollapsed ? null : (
        <>
          {children}
          <ul className="column-cards">{cards.map(card)}</ul>
        </>
      )}
    </section>
  );
}

/** Collapses a column to its name and count, or expands it. Collapsed columns still accept dropped cards. */
export function ColumnToggle({ column: { status, label }, isCollapsed }: { column: Column; isCollapsed: boolean }) {
  const hydrated = useHydrated();
  const action = `${isCollapsed ? "Expand" : "Collapse"} ${label}`;
  return (
    <button
      type="button"
      data-collapse={status}
      aria-expanded={!isCollapsed}
      aria-label={action}
      title={action}
      className={`column-button ${hydrated ? "" : "invisible"}`}
    >
      <Glyph name="fold" />
    </button>
  );
}

type NewCardLinkProps = { column: Column; lane: Lane | undefined; address: URLSearchParams };

/** Opens the form for a new card in this column. The `c` key clicks the first such link on the board. */
function NewCardLink({ column: { status, label }, lane, address }: NewCardLinkProps) {
  const { canWrite } = useWriteAccess();
  if (!canWrite || !movableColumns.some((known) => known.status === status)) return null;
  const params = new URLSearchParams(address);
  params.set("new", status);
  if (lane) params.set("in", lane.key);
  const action = `New task in ${label}`;
  return (
    <a
      href={`?${params}`}
      data-new={status}
      data-new-lane={lane?.key}
      data-create={status === "todo" || undefined}
      aria-label={action}
      title={status === "todo" ? `${action} (c)` : action}
      className="column-button"
    >
      <Glyph name="add" />
    </a>
  );
}

export function ColumnName({ status, label }: { status: string; label: string }) {
  return (
    <>
      <StatusIcon tone={statusLook(status).tone} />
      <span className="truncate">{label}</span>
    </>
  );
}
