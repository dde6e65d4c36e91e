import { memo } from "react";
import { LabelChips } from "~/features/labels/label-chips";
import { Glyph } from "~/ui/sprite";
import { statusLook } from "~/ui/status";
import { StatusIcon } from "~/ui/status-icon";
import type { TreeAddress } from "./tree-address";
import type { TreeRow } from "./tree-rows";

interface TreeRowLineProps {
  row: TreeRow;
  selected: boolean;
  changed: boolean;
  marked: boolean;
  /** Why the last change to it was refused. */
  refusal: string | undefined;
  draggable: boolean;
  toggleTo: string;
  address: TreeAddress;
  /** Path of the product's sprints. */
  sprintsPath: string;
}

/** One row of the tree. There may be thousands, so it uses plain links, followed by the tree. */
export const TreeRowLine = memo(function TreeRowLine({
  row,
  selected,
  changed,
  marked,
  refusal,
  draggable,
  toggleTo,
  address,
  sprintsPath,
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
      <a href={address.panelTo(`${kind}:${id}`)} data-row className="line-title">
        {marked ? <span className="sr-only">Selected: </span> : null}
        {row.title}
      </a>
      {refusal ? (
        <span className="line-state" data-tone="refused" title={refusal}>
          Not saved: {refusal}
        </span>
      ) : row.state ? (
        <span className="line-state" data-tone={row.state.tone}>
          {row.state.text}
        </span>
      ) : null}
      <LabelChips labels={row.labels} />
      {row.hasPr ? (
        <span
          role="img"
          data-part="pull"
          title="Has a pull request"
          aria-label="has a pull request"
        >
          <Glyph name="pull" />
        </span>
      ) : null}
      {row.sprint ? (
        <a href={`${sprintsPath}/${row.sprintId}`} data-part="sprint" className="line-sprint">
          {row.sprint}
        </a>
      ) : null}
      {kind === "task" ? null : <Below row={row} />}
      {kind === "task" ? null : (
        <a
          href={kind === "pbi" ? address.newStoryTo(id) : address.newTaskTo(id)}
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
  return (
    // biome-ignore lint/a11y/useSemanticElements: it must work without script, so it is a link
    <a
      href={to}
      role="button"
      aria-expanded={row.open}
      aria-label={`${row.open ? "Collapse" : "Expand"} ${row.code}`}
      className={row.total === 0 ? "line-fold invisible" : "line-fold"}
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
