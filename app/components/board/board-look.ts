export const groupings = [
  { value: "", label: "No groups" },
  { value: "story", label: "By story" },
  { value: "assignee", label: "By assignee" },
  { value: "worker", label: "By worker" },
] as const;

/** What cards can leave out. */
export const cardParts = [
  { value: "story", label: "Story" },
  { value: "worker", label: "Worker and time" },
  { value: "doing", label: "What its agent does" },
  { value: "waits", label: "What it waits for" },
  { value: "proof", label: "Proof" },
  { value: "lines", label: "Changed lines" },
  { value: "plan", label: "Missing plan" },
] as const;

/** What of a board is shown and in which shape; all of it is in the address. */
export interface BoardLook {
  query: string;
  group: (typeof groupings)[number]["value"];
  list: boolean;
  dense: boolean;
  /** Parts that are left out, with spaces between them. */
  hide: string;
}
