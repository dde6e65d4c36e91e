import { Link } from "@remix-run/react";
import clsx from "clsx";
import { ChevronRight, GitPullRequest, Plus } from "lucide-react";
import type { DragEvent } from "react";
import { CodeChip } from "~/components/badge";
import { StatusDot, StatusPill } from "~/components/status-pill";
import { useWriteAccess } from "~/components/write-access";
import { readDragged, startDrag } from "./drag";
import type { TreeAddress } from "./tree-address";
import type { TreeRow } from "./tree-rows";

interface TreeRowLineProps {
  row: TreeRow;
  selected: boolean;
  changed: boolean;
  toggleTo: string;
  address: TreeAddress;
  onDrop: (dragged: { kind: string; id: string }, row: TreeRow, half: "upper" | "lower") => void;
}

const indents = { pbi: "pl-1.5", story: "pl-7", task: "pl-18" } as const;

export function TreeRowLine({
  row,
  selected,
  changed,
  toggleTo,
  address,
  onDrop,
}: TreeRowLineProps) {
  const { canWrite } = useWriteAccess();
  const takesDrops = row.kind === "pbi";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging is the pointer's way; the panel's buttons are the equal one
    <div
      draggable={canWrite && row.kind !== "task"}
      data-changed={changed || undefined}
      onDragStart={(event) => startDrag(event, row)}
      onDragOver={(event) => takesDrops && event.preventDefault()}
      onDrop={(event) => {
        const dragged = readDragged(event);
        if (dragged) onDrop(dragged, row, halfOf(event));
      }}
      className={clsx(
        "group flex min-h-9 items-center gap-2 border-b border-line/60 py-1 pr-2 pointer-coarse:min-h-11",
        indents[row.kind],
        selected ? "bg-accent-soft" : "hover:bg-sunken",
        row.kind === "pbi" && "bg-surface",
      )}
    >
      {row.kind === "task" ? null : <Fold row={row} to={toggleTo} />}
      <StatusDot status={row.status} className="md:hidden" />
      <CodeChip className="min-w-13 shrink-0 max-sm:hidden">{row.code}</CodeChip>
      <Link
        to={address.panelTo(`${row.kind}:${row.id}`)}
        preventScrollReset
        data-row
        draggable={false}
        className={clsx(
          "min-w-0 flex-1 truncate text-sm hover:underline",
          row.kind === "pbi" && "font-semibold",
        )}
      >
        {row.title}
      </Link>
      {row.hasPr ? (
        <GitPullRequest className="size-4 shrink-0 text-muted" aria-label="has a pull request" />
      ) : null}
      {row.sprint ? (
        <Link
          to={`../sprints/${row.sprintId}`}
          className="shrink-0 rounded-sm bg-progress-soft px-1.5 font-mono text-2xs text-progress hover:underline max-sm:hidden"
        >
          {row.sprint}
        </Link>
      ) : null}
      {row.kind === "task" ? null : <Below row={row} />}
      {row.kind === "task" ? null : (
        <Link
          to={row.kind === "pbi" ? address.newStoryTo(row.id) : address.newTaskTo(row.id)}
          preventScrollReset
          aria-label={row.kind === "pbi" ? `New story in ${row.code}` : `New task in ${row.code}`}
          title={row.kind === "pbi" ? "New story" : "New task"}
          className="rounded p-1 text-muted hover:bg-line hover:text-ink focus-visible:opacity-100 lg:opacity-0 lg:group-focus-within:opacity-100 lg:group-hover:opacity-100"
        >
          <Plus className="size-4" aria-hidden="true" />
        </Link>
      )}
      <span className="hidden w-26 shrink-0 justify-end md:flex">
        <StatusPill status={row.status} />
      </span>
    </div>
  );
}

function Fold({ row, to }: { row: TreeRow; to: string }) {
  const empty = row.below.length === 0;
  return (
    <Link
      to={to}
      preventScrollReset
      aria-label={`${row.open ? "Fold" : "Unfold"} ${row.code}`}
      aria-expanded={row.open}
      role="button"
      className={clsx("rounded p-1 text-muted hover:bg-line hover:text-ink", empty && "invisible")}
    >
      <ChevronRight
        className={clsx("size-4 transition-transform duration-150", row.open && "rotate-90")}
        aria-hidden="true"
      />
    </Link>
  );
}

/** "3/8": how many of those below are done. */
function Below({ row }: { row: TreeRow }) {
  if (row.below.length === 0) return null;
  const done = row.below.filter((status) => status === "done").length;
  const noun = row.kind === "pbi" ? "stories" : "tasks";
  return (
    <span
      className="w-10 shrink-0 text-end text-xs text-muted"
      title={`${done} of ${row.below.length} ${noun} done`}
    >
      {done}/{row.below.length}
      <span className="sr-only"> {noun} done</span>
    </span>
  );
}

function halfOf(event: DragEvent): "upper" | "lower" {
  const box = event.currentTarget.getBoundingClientRect();
  return event.clientY < box.top + box.height / 2 ? "upper" : "lower";
}
