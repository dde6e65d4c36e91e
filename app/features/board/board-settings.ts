import { useLocation, useNavigation } from "@remix-run/react";
import { useState } from "react";
import type { Label } from "~/wire/labels/contract";
import type { BoardTask } from "~/wire/pages/contract";

export type CardTask = BoardTask & {
  /** Key of the card's lane when the board is grouped. */
  group?: string | undefined;
  labels?: readonly Label[];
  assignee_name?: string | null;
};

export const groupings = [
  { value: "", label: "No grouping" },
  { value: "story", label: "Story" },
  { value: "assignee", label: "Assignee" },
  { value: "worker", label: "Worker" },
  { value: "priority", label: "Priority" },
  { value: "label", label: "Label" },
] as const;

export const cardParts = [
  { value: "story", label: "Story" },
  { value: "labels", label: "Labels" },
  { value: "worker", label: "Worker and time" },
  { value: "doing", label: "Agent activity" },
  { value: "waits", label: "Blocked by" },
  { value: "proof", label: "Proof" },
  { value: "pull", label: "Pull request" },
  { value: "lines", label: "Changed lines" },
  { value: "plan", label: "Missing plan" },
] as const;

/** What a board shows and in which layout. All of it lives in the address. */
export interface BoardSettings {
  query: string;
  group: (typeof groupings)[number]["value"];
  list: boolean;
  dense: boolean;
  /** Hidden parts, separated by spaces. */
  hide: string;
  /** Folded lanes, separated by commas. */
  fold: string;
}

export interface Lane {
  /** Name of the lane in the address. */
  key: string;
  label: string;
  /** Fields that a card gets when it is moved into this lane; null if people cannot move cards into it. */
  sets: Readonly<Record<string, string>> | null;
}

/** Where a card held by mouse, touch or keyboard would go. */
export interface DropTarget {
  /** Null: the card keeps its status. */
  status: string | null;
  lane: string | null;
  /** What the drop would change, or why it is refused. */
  says: string | null;
  /** Id of the card being moved by keyboard. A pointer shows its own card. */
  moving?: string;
}

const foldName = "fold";

export function foldedLanes(address: URLSearchParams): readonly string[] {
  return address.getAll(foldName).join(",").split(",").filter(Boolean);
}

/** Returns the address with this lane's folding toggled. */
export function foldLink(address: URLSearchParams, key: string): string {
  const folded = foldedLanes(address);
  const next = new URLSearchParams(address);
  next.delete(foldName);
  const left = folded.filter((other) => other !== key);
  if (left.length === folded.length) left.push(key);
  if (left.length > 0) next.set(foldName, left.join(","));
  return `?${next}`;
}

/** Returns the search parameters of the page being loaded, so that folding shows at once. */
export function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
}

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

/** Empty columns are narrow; columns that the person collapsed show their name only. */
export type ColumnWidth = "whole" | "narrow" | "collapsed";

const oneYear = 31_536_000;

/** Returns the width of each column: collapsed by the person, narrow without cards, otherwise whole. */
export function useColumnWidths(
  tasks: readonly CardTask[],
  { productId, userId, collapsed: remembered }: { productId: string; userId: string; collapsed: string },
) {
  const [collapsed, setCollapsed] = useState(() => remembered.split(".").filter(Boolean));
  const toggle = (status: string) => {
    const next = collapsed.includes(status) ? collapsed.filter((other) => other !== status) : [...collapsed, status];
    setCollapsed(next);
    // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have only lately got cookieStore
    document.cookie = `${collapsedColumnsCookie(userId)}=${next.join(".")}; Path=/products/${productId}; Max-Age=${oneYear}; SameSite=Lax`;
  };
  const filled = new Set(tasks.map(({ status }) => status));
  const widthOf = (status: string): ColumnWidth =>
    collapsed.includes(status) ? "collapsed" : filled.has(status) || filled.size === 0 ? "whole" : "narrow";
  return { widthOf, toggle };
}

/** Returns the column where the work is: with an agent, otherwise in review, otherwise to do. */
export function columnOfWork(tasks: readonly CardTask[]): string | undefined {
  const filled = new Set(tasks.map(({ status }) => status));
  const first = ["in_progress", "review", "todo"].find((status) => filled.has(status));
  return first ?? columns.find(({ status }) => filled.has(status))?.status;
}
