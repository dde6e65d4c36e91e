import type { Label } from "~/contract/label";
import type { BoardTask } from "~/contract/page-data";

/** A task as a board shows it. */
export type CardTask = BoardTask & {
  /** The lane in which it stands, when the board is grouped. */
  group?: string | undefined;
  labels?: readonly Label[];
};

export const groupings = [
  { value: "", label: "No grouping" },
  { value: "story", label: "Story" },
  { value: "assignee", label: "Assignee" },
  { value: "worker", label: "Worker" },
  { value: "priority", label: "Priority" },
  { value: "label", label: "Label" },
] as const;

/** What cards can leave out. */
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

/** What of a board is shown and in which shape; all of it is in the address. */
export interface BoardSettings {
  query: string;
  group: (typeof groupings)[number]["value"];
  list: boolean;
  dense: boolean;
  /** Parts that are left out, with spaces between them. */
  hide: string;
  /** Lanes that are folded, with commas between them. */
  fold: string;
}

/** One lane of a grouped board. */
export interface Lane {
  /** Its name in the address. */
  key: string;
  label: string;
  /** What a card that is put into it becomes; null where no person decides that. */
  sets: Readonly<Record<string, string>> | null;
}

/** Where a card would go that is held by pointer, finger or keys. */
export interface DropTarget {
  /** Null: it keeps its own. */
  status: string | null;
  lane: string | null;
  /** What would become of it, or why it cannot go there. */
  says: string | null;
  /** The card that keys move; a pointer shows itself what it holds. */
  moving?: string;
}
