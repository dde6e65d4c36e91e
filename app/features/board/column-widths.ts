import { useState } from "react";
import type { ColumnWidth } from "./board-column";
import type { CardTask } from "./board-settings";
import { collapsedColumnsCookie, columns } from "./columns";

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
