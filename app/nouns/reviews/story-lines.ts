import type { StoredComment } from "~/wire/reviews/contract";
import { Crossing, otherSide, type Side } from "~/wire/reviews/line-crossing";
import { linesByText, linesOf, nearestTo } from "./find-line";
import type { Step, StoryAttempt, StoryReview } from "./story-changes";

/** The attempt that changed the line, or the nearest that shows it; null where only judged ones do. */
export function attemptOfLine(steps: readonly Step[], side: Side, line: number) {
  let nearest: { step: Step; line: number } | null = null;
  let at = line;
  for (const step of side === "new" ? steps.toReversed() : steps) {
    const crossing = new Crossing(step.file.patch ?? "", side);
    const next = crossing.at(at);
    const isHere = step.of.verdict === null && crossing.shows(at);
    if (isHere && (nearest === null || next === null)) nearest = { step, line: at };
    if (next === null) return nearest;
    at = next;
  }
  return nearest;
}

/** The attempts as a page showed them: what it named was not judged, and there was no other. */
export function asShown(
  attempts: readonly StoryAttempt[],
  shown: readonly { job_id: string; attempt: number }[],
): StoryAttempt[] {
  const keys = new Set(shown.map(({ job_id, attempt }) => `${job_id} ${attempt}`));
  return attempts.map((each) => ({
    ...each,
    verdict: keys.has(`${each.job_id} ${each.attempt}`) ? null : (each.verdict ?? "approve"),
  }));
}

/** Comments with the place of their file among the story's, and their line there. */
export function positionComments({ changes, steps }: StoryReview, comments: readonly StoredComment[]) {
  const positions = new Map<string, number>();
  for (const [index, { parts }] of changes.files.entries()) {
    for (const { job_id, path } of parts) positions.set(`${job_id} ${path}`, index);
  }
  const lines = new Map<string, Map<string, number[]>>();
  const linesAt = (index: number, side: Side) => {
    const file = changes.files[index];
    return once(lines, `${side} ${index}`, () => linesByText(file ? linesOf(file, side) : []));
  };
  const crossings = { old: new Map<Step, Crossing>(), new: new Map<Step, Crossing>() };
  const lineInStory = (index: number, { job_id, attempt, path, side, line }: StoredComment) => {
    const chain = steps[index] ?? [];
    const own = chain.findIndex(({ of, file }) => of.job_id === job_id && of.attempt === attempt && file.path === path);
    if (own < 0) return line;
    const from = otherSide(side);
    const between = side === "new" ? chain.slice(own + 1) : chain.slice(0, own).toReversed();
    return between.reduce((at, step) => {
      const crossing = once(crossings[from], step, () => new Crossing(step.file.patch ?? "", from));
      return crossing.at(at) ?? at;
    }, line);
  };
  return comments.map((comment) => {
    const { job_id, path, side, line_text } = comment;
    const index = positions.get(`${job_id} ${path}`);
    if (index === undefined) return { ...comment, stale: true, current_line: null, index: null };
    const same = linesAt(index, side).get(line_text) ?? [];
    const found = nearestTo(lineInStory(index, comment), same);
    return { ...comment, stale: found === null, current_line: found, index };
  });
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
