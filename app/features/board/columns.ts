import { useState } from "react";
import type { CardTask } from "./board-settings";

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

/** Empty columns are narrow; columns that the person collapsed are shut. */
export type ColumnWidth = "whole" | "narrow" | "shut";

const oneYear = 31_536_000;

/** Returns the width of each column: shut by the person, narrow without cards, otherwise whole. */
export function useColumnWidths(
  tasks: readonly CardTask[],
  { productId, userId, shut: remembered }: { productId: string; userId: string; shut: string },
) {
  const [shut, setShut] = useState(() => remembered.split(".").filter(Boolean));
  const toggle = (status: string) => {
    const next = shut.includes(status)
      ? shut.filter((other) => other !== status)
      : [...shut, status];
    setShut(next);
    // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have only lately got cookieStore
    document.cookie = `${collapsedColumnsCookie(userId)}=${next.join(".")}; Path=/products/${productId}; Max-Age=${oneYear}; SameSite=Lax`;
  };
  const held = new Set(tasks.map(({ status }) => status));
  const widthOf = (status: string): ColumnWidth =>
    shut.includes(status) ? "shut" : held.has(status) || held.size === 0 ? "whole" : "narrow";
  return { widthOf, toggle };
}

/** Returns the column where the work is: with an agent, otherwise in review, otherwise to do. */
export function columnOfWork(tasks: readonly CardTask[]): string | undefined {
  const held = new Set(tasks.map(({ status }) => status));
  const first = ["in_progress", "review", "todo"].find((status) => held.has(status));
  return first ?? columns.find(({ status }) => held.has(status))?.status;
}
