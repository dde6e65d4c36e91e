import type { StoredComment } from "~/wire/reviews/contract";
import { Crossing, otherSide, type Side } from "~/wire/reviews/line-crossing";
import { linesByText, linesOf, nearestTo } from "./find-line";
import { reviewOfStory, type Step, type StoryAttempt, type StoryReview } from "./story-changes";

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

/** A line of a story's page, which showed these attempts; `index` is the place of the file there. */
export interface PageLine {
  shown: readonly { job_id: string; attempt: number }[];
  index: number;
  path: string;
  side: Side;
  line: number;
}

/** The attempt that such a line belongs to, its number there, and the task's code if it has been judged since. */
export function placeOfLine(attempts: readonly StoryAttempt[], { shown, index, path, side, line }: PageLine) {
  const { changes, steps } = reviewOfStory(asShown(attempts, shown));
  if (changes.files[index]?.path !== path) return "out-of-date";
  const [first] = steps[index] ?? [];
  const isLeftOut = first?.file.left_out && first.of.verdict === null;
  const found = isLeftOut ? { step: first, line } : attemptOfLine(steps[index] ?? [], side, line);
  if (found === null) return "not-shown";
  const { of, file } = found.step;
  const isOpen = attempts.find(({ job_id }) => job_id === of.job_id)?.verdict === null;
  const { job_id, attempt, task } = of;
  return { job_id, attempt, path: file.path, line: found.line, judged: isOpen ? null : task.code };
}

/** The attempts as a page showed them: what it named was not judged, and there was no other. */
function asShown(
  attempts: readonly StoryAttempt[],
  shown: readonly { job_id: string; attempt: number }[],
): StoryAttempt[] {
  const keys = new Set(shown.map(({ job_id, attempt }) => `${job_id} ${attempt}`));
  return attempts.map((each) => ({
    ...each,
    verdict: keys.has(`${each.job_id} ${each.attempt}`) ? null : (each.verdict ?? "approve"),
  }));
}

/** What the page of a story shows: its files, where each is read that one attempt alone changed, and the comments. */
export function shownReview(attempts: readonly StoryAttempt[], comments: readonly StoredComment[]) {
  const review = reviewOfStory(attempts);
  const sources = review.steps.map(([step, ...others]) => {
    if (!step || others.length > 0) return null;
    const { job_id, attempt, files } = step.of;
    return { job_id, attempt, index: files?.indexOf(step.file) ?? 0 };
  });
  return { ...review.changes, sources, comments: positionComments(review, comments) };
}

export type PlacedComment = ReturnType<typeof positionComments>[number];

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
