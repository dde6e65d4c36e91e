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
