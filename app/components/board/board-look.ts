export const groupings = [
  { value: "", label: "No groups" },
  { value: "story", label: "By story" },
  { value: "assignee", label: "By assignee" },
  { value: "worker", label: "By worker" },
] as const;

/** What of a board is shown and in which shape; all of it is in the address. */
export interface BoardLook {
  query: string;
  group: (typeof groupings)[number]["value"];
  list: boolean;
  dense: boolean;
}
