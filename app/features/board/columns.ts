/** The columns of a board, in the order work passes through them. */
export const columns = [
  { status: "todo", label: "To do" },
  { status: "in_progress", label: "In progress" },
  { status: "review", label: "Review" },
  { status: "done", label: "Done" },
  { status: "failed", label: "Failed" },
] as const;

export type Column = (typeof columns)[number];

/** Columns people may move cards to. The board offers no move to Failed, as jobs end there. */
export const movableColumns = columns.filter(({ status }) => status !== "failed");

export function columnLabel(status: string): string {
  return columns.find((column) => column.status === status)?.label ?? status;
}

/** One cookie per person and product, sent only to the product's pages so that the server can render the widths. */
export const collapsedColumnsCookie = (userId: string) => `backloom_columns_${userId.slice(0, 8)}`;
