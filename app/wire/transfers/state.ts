/** Task states as used here; `dropped` work becomes an archived idea. */
export type SourceState = "TO_DO" | "IN_PROGRESS" | "REVIEW" | "DONE" | "dropped";
export type WorkState = Exclude<SourceState, "dropped">;

/** Words of the tools, by what they mean here. */
const words: readonly (readonly [SourceState, ...string[]])[] = [
  [
    "TO_DO",
    "to do, todo, open, new, backlog, draft, triage, planned, reopened, unstarted",
    "selected for development, ready for development",
  ],
  ["IN_PROGRESS", "in progress, in development, doing, started, wip"],
  [
    "REVIEW",
    "review, in review, code review, ready for review, awaiting review, patch available",
    "qa, in qa, ready for qa, testing, in testing, ready for testing",
  ],
  [
    "DONE",
    "done, complete, completed, closed, resolved, fixed, implemented, verified, merged",
    "deployed, delivered, released, shipped, finished",
  ],
  [
    "dropped",
    "won't do, wont do, won't fix, wont fix, wontfix, not planned, abandoned, cancelled",
    "canceled, declined, dropped, duplicate, invalid, obsolete, rejected",
  ],
];
const states = new Map(
  words.flatMap(([state, ...lists]) => lists.flatMap((list) => list.split(", ").map((word) => [word, state] as const))),
).set("", "TO_DO");

/** Undefined if unknown. Not read: signs, brackets, and what is before or after a dash or colon (`Q3 – Done`). */
export function toState(status: string): SourceState | undefined {
  const line = status.slice(0, 100);
  const parts = line.split(/[()[\]{}:–—|]|\s-{1,3}\s/).filter((part) => /\p{L}/u.test(part));
  const told = new Set(parts.map(ofWords).filter((state) => state !== undefined));
  return ofWords(line) ?? (told.size === 1 ? [...told][0] : undefined);
}

function ofWords(part: string): SourceState | undefined {
  const [words = ""] = /\p{L}(?:.*\p{L})?/u.exec(part) ?? [];
  return states.get(
    words
      .toLowerCase()
      .replaceAll("’", "'")
      .replaceAll(/[-_ ]+/g, " "),
  );
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
