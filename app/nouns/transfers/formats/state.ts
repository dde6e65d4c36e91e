/** Task states as used here; `dropped` work becomes an archived idea. */
export type SourceState = "TO_DO" | "IN_PROGRESS" | "REVIEW" | "DONE" | "dropped";
export type WorkState = Exclude<SourceState, "dropped">;

const states: Readonly<Record<string, SourceState>> = {
  "": "TO_DO",
  "to do": "TO_DO",
  todo: "TO_DO",
  open: "TO_DO",
  new: "TO_DO",
  backlog: "TO_DO",
  draft: "TO_DO",
  triage: "TO_DO",
  planned: "TO_DO",
  reopened: "TO_DO",
  unstarted: "TO_DO",
  "selected for development": "TO_DO",
  "ready for development": "TO_DO",
  "in progress": "IN_PROGRESS",
  "in development": "IN_PROGRESS",
  doing: "IN_PROGRESS",
  started: "IN_PROGRESS",
  wip: "IN_PROGRESS",
  review: "REVIEW",
  "in review": "REVIEW",
  "code review": "REVIEW",
  "ready for review": "REVIEW",
  "awaiting review": "REVIEW",
  "patch available": "REVIEW",
  qa: "REVIEW",
  "in qa": "REVIEW",
  "ready for qa": "REVIEW",
  testing: "REVIEW",
  "in testing": "REVIEW",
  "ready for testing": "REVIEW",
  done: "DONE",
  complete: "DONE",
  completed: "DONE",
  closed: "DONE",
  resolved: "DONE",
  fixed: "DONE",
  implemented: "DONE",
  verified: "DONE",
  merged: "DONE",
  deployed: "DONE",
  delivered: "DONE",
  released: "DONE",
  shipped: "DONE",
  finished: "DONE",
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

/** Undefined for a status unknown here. Signs around the words, such as emoji, do not count. */
export function toState(status: string): SourceState | undefined {
  const [words = ""] = /\p{L}(?:.*\p{L})?/u.exec(status.slice(0, 100)) ?? [];
  const known = words
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[-_ ]+/g, " ");
  return Object.hasOwn(states, known) ? states[known] : undefined;
}

/** True if the tasks alone show their story's state. */
export function tellsState(tasks: readonly string[], state: WorkState): boolean {
  if (tasks.length === 0) return false;
  return state === "DONE" || !tasks.every((each) => each === "DONE");
}

/** Maps a priority name to a number: 1 is the most urgent, 3 the default. */
export function toPriority(priority: string | null): number {
  if (priority === "critical" || priority === "high") return 1;
  if (priority === "low") return 4;
  return priority === "medium" ? 2 : 3;
}
