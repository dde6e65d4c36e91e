// Program of a worker thread (see work-thread.server.ts): diff work whose cost grows with user input.
import { parentPort } from "node:worker_threads";
import { type PictureSide, pictureIn } from "~/nouns/agent-jobs/patch-pictures";
import { patchText } from "~/nouns/agent-jobs/patch-text";
import { reviewOfAttempt, reviewOfStory, type StoryAttempt, storyAttemptsSchema } from "~/nouns/reviews/story-changes";
import { type PageLine, placeOfLine, positionComments, shownReview } from "~/nouns/reviews/story-lines";
import { type DiffFile, type JobDiff, jobDiffSchema, shownDiff } from "~/wire/agent-jobs/job-diff";
import type { PatchLine } from "~/wire/agent-jobs/patch";
import type { StoredComment } from "~/wire/reviews/contract";
import { type Clues, chaptersOf, type Guide } from "~/wire/reviews/guide";
import { type Comparison, compareFiles } from "./compare-files";
import { drawLines } from "./draw-lines";

/** Lines to draw, files to compare or to place comments in; `story` and `job` are what the database answered. */
export type DiffQuestion =
  | { draw: { path: string; hunks: PatchLine[][] } }
  | { compare: Comparison }
  | { patch: string; side: PictureSide }
  | { guide: { files: readonly DiffFile[]; guide: Guide | null; clues: Clues } }
  | { review: { attempts: readonly StoryAttempt[]; comments: readonly StoredComment[] } }
  | { attempt: { diff: JobDiff | null; comments: readonly StoredComment[] } }
  | { story: string; line: PageLine }
  | { story: string; index: number }
  | { story: string; paths: string[] | undefined }
  | { job: string; paths: string[] | undefined; asPatch: boolean };

function answer(question: DiffQuestion): unknown {
  if ("compare" in question) return compareFiles(question.compare);
  if ("draw" in question) return drawLines(question.draw.path, question.draw.hunks);
  if ("patch" in question) return pictureIn(question.patch, question.side);
  if ("guide" in question) {
    const { files, guide, clues } = question.guide;
    return chaptersOf(files, guide, clues);
  }
  if ("review" in question) return shownReview(question.review.attempts, question.review.comments);
  if ("attempt" in question) return positionComments(reviewOfAttempt(question.attempt.diff), question.attempt.comments);
  if ("story" in question) {
    const { attempts } = storyAttemptsSchema.parse(JSON.parse(question.story));
    if ("line" in question) return placeOfLine(attempts, question.line);
    if ("index" in question) return reviewOfStory(attempts).changes.files[question.index] ?? null;
    const { files, ...changes } = reviewOfStory(attempts, question.paths).changes;
    return { ...changes, files: files.filter(({ left_out }) => !left_out) };
  }
  const diff = jobDiffSchema.parse(JSON.parse(question.job));
  return question.asPatch ? patchText(diff) : shownDiff(diff, question.paths);
}

parentPort?.on("message", (question: DiffQuestion) => {
  try {
    parentPort?.postMessage({ made: JSON.stringify(answer(question)) });
  } catch {
    parentPort?.postMessage({ made: null });
  }
});
parentPort?.postMessage({ ready: true });
