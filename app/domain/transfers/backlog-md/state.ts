/** Task states as used here; `dropped` work becomes an archived idea. */
export type SourceState = "TO_DO" | "IN_PROGRESS" | "REVIEW" | "DONE" | "dropped";

const states: Readonly<Record<string, SourceState>> = {
  "": "TO_DO",
  "to do": "TO_DO",
  todo: "TO_DO",
  open: "TO_DO",
  backlog: "TO_DO",
  draft: "TO_DO",
  "in progress": "IN_PROGRESS",
  doing: "IN_PROGRESS",
  review: "REVIEW",
  "in review": "REVIEW",
  done: "DONE",
  complete: "DONE",
  completed: "DONE",
  closed: "DONE",
  "won't do": "dropped",
  "wont do": "dropped",
  "won't fix": "dropped",
  "wont fix": "dropped",
  wontfix: "dropped",
  "not planned": "dropped",
  abandoned: "dropped",
  cancelled: "dropped",
  canceled: "dropped",
  declined: "dropped",
  dropped: "dropped",
  duplicate: "dropped",
  invalid: "dropped",
  obsolete: "dropped",
  rejected: "dropped",
};

/** Undefined for a status unknown here. */
export function toState(status: string): SourceState | undefined {
  return states[
    status
      .trim()
      .toLowerCase()
      .replaceAll("’", "'")
      .replaceAll(/[-_ ]+/g, " ")
  ];
}

/** Maps a priority name to a number: 1 is the most urgent, 3 the default. */
export function toPriority(priority: string | null): number {
  if (priority === "critical" || priority === "high") return 1;
  if (priority === "low") return 4;
  return priority === "medium" ? 2 : 3;
}
