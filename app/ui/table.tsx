import clsx from "clsx";
import type { ReactNode } from "react";

interface TableProps {
  caption: string;
  stacked?: boolean;
  /** A width class per column, so that the columns of several tables line up. */
  columns?: readonly string[];
  head: readonly (string | { label: string; numeric: true })[];
  children: ReactNode;
}

/** Scrolls sideways on a phone or, `stacked`, has labeled cells in a card per row. `caption` is read out, not shown. */
export function Table({ caption, head, children, stacked = false, columns }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" className="overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table
        className={clsx(
          "w-full border-collapse text-sm [overflow-wrap:normal]",
          stacked ? "stacked-table" : columns ? "min-w-[52rem] table-fixed" : "min-w-[34rem]",
        )}
      >
        <caption className="sr-only">{caption}</caption>
        {columns ? (
          <colgroup>
            {columns.map((width, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order
              <col key={index} className={width} />
            ))}
          </colgroup>
        ) : null}
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order
              <HeadCell key={index} cell={cell} />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}

export const numeric = (...labels: string[]) => labels.map((label) => ({ label, numeric: true as const }));

/** An empty heading is a plain cell, because screen readers would read out an empty `th`. */
function HeadCell({ cell }: { cell: string | { label: string; numeric: true } }) {
  if (cell === "") return <td />;
  return (
    <th
      scope="col"
      className={clsx("px-4 py-2 font-medium whitespace-nowrap", typeof cell === "string" ? "text-start" : "text-end")}
    >
      {typeof cell === "string" ? cell : cell.label}
    </th>
  );
}

interface CellProps {
  children: ReactNode;
  /** Shown before the cell where a stacked table has no head. */
  label?: string;
  numeric?: boolean;
  className?: string;
}

export function Cell({ children, label, numeric, className }: CellProps) {
  return (
    <td
      data-label={label}
      className={clsx(
        label ? "px-4 py-1 align-middle sm:py-2" : "px-4 py-2 align-middle",
        numeric && "text-end tabular-nums whitespace-nowrap",
        className,
      )}
    >
      {children}
    </td>
  );
}
