import type { Label } from "~/nouns/labels/contract";
import type { BoardTask } from "~/nouns/pages/contract";

/** A task as a board shows it. */
export type CardTask = BoardTask & {
  /** Key of the card's lane when the board is grouped. */
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

/** Parts of cards that people can hide. */
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

/** One lane of a grouped board. */
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
