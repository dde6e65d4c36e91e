/** The columns of a board, in the order in which work passes through them. */
export const columns = [
  { status: "todo", label: "To do" },
  { status: "in_progress", label: "In progress" },
  { status: "review", label: "Review" },
  { status: "done", label: "Done" },
  { status: "failed", label: "Failed" },
] as const;

export type Column = (typeof columns)[number];

/** People move cards to these; a task becomes failed only by its work. */
export const movableColumns = columns.filter(({ status }) => status !== "failed");

export function columnLabel(status: string): string {
  return columns.find((column) => column.status === status)?.label ?? status;
}

/** One cookie a person and product: it is sent to the pages of this product only, so that they are drawn so at once. */
export const shutColumnsCookie = (userId: string) => `columns_${userId.slice(0, 8)}`;
