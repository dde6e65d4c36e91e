import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import type { RoundFile } from "~/features/diff/show-diff.server";
import { waitsForReview } from "~/features/jobs/job-badges";
import { getAgentJob, getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { getStoryChanges, listViewed } from "~/nouns/reviews/operations.server";
import { reviewOfStory, type StoryAttempt, type StoryFile, type StoryReview } from "~/nouns/reviews/story-changes";
import { asShown, attemptOfLine } from "~/nouns/reviews/story-lines";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";
import { addJobCommentBody, reviewStoryBody } from "~/wire/reviews/contract";

/** What no one has judged of a story, or of one of its tasks, with what the person has viewed of it. */
export async function readStoryDiff(actor: Actor, storyId: string, taskId?: string) {
  const { attempts, open_tasks } = await getStoryChanges(actor, { story_id: storyId, most: mostShown });
  const unjudged = unjudgedOf(attempts).filter(({ task }) => taskId === undefined || task.id === taskId);
  return { ...reviewOfStory(attempts, { taskId }), attempts, unjudged, open_tasks };
}

/** The newest attempts of their tasks that no one has judged. */
function unjudgedOf<Attempt extends StoryAttempt>(attempts: readonly Attempt[]): Attempt[] {
  const newest = new Map(attempts.map((each) => [each.task.id, each]));
  return attempts.filter((each) => each.verdict === null && newest.get(each.task.id) === each);
}

/**
 * The review of a story's last work opens on all that no one has judged of the story: where that is, if there is more
 * than this job; and whether approving this job alone finishes the story.
 */
export async function storyOf(actor: Actor, jobId: string) {
  const { status, phase, story_id } = await getAgentJob(actor, { job_id: jobId });
  if (story_id === null || !waitsForReview({ status, phase })) {
    return { address: null, finishes: false };
  }
  const read = await getStoryChanges(actor, { story_id, with_files: false });
  const { open_tasks } = read;
  const unjudged = unjudgedOf(read.attempts);
  const waiting = unjudged.filter(({ waits }) => waits);
  const isLast = open_tasks === 0 && waiting.at(-1)?.job_id === jobId;
  return {
    address: isLast && unjudged.length > 1 ? `/stories/${story_id}/changes` : null,
    finishes: isLast && waiting.length === 1,
  };
}

/** Places of the files that the person has viewed in all their parts. */
export async function viewedOf(actor: Actor, files: readonly StoryFile[]): Promise<number[]> {
  const seen = new Set<string>();
  const parts = files.flatMap((file) => file.parts);
  const jobs = new Map(parts.map(({ job_id, attempt }) => [job_id, attempt]));
  for (const [job_id, attempt] of jobs) {
    const { paths } = await listViewed(actor, { job_id, attempt });
    for (const path of paths) seen.add(`${job_id} ${path}`);
  }
  return files.flatMap((file, index) =>
    file.parts.every(({ job_id, path }) => seen.has(`${job_id} ${path}`)) ? [index] : [],
  );
}

/** The files of a page; `open` is the place of one to read although it is beyond the bound. */
export function readOpen(actor: Actor, { steps }: StoryReview, shown: readonly RoundFile[], open: number | undefined) {
  return Promise.all(
    shown.map(async (round) => {
      const [step] = steps[round.index] ?? [];
      if (!step || !round.file.left_out || round.index !== open) return round;
      const { job_id, attempt, files } = step.of;
      const diff = await getJobDiff(actor, { job_id, attempt, index: files?.indexOf(step.file) ?? 0 });
      return { ...round, file: diff?.files[0] ?? round.file };
    }),
  );
}

/** Of the files on a page: where their lines are, and the attempts that a viewed mark is for. */
export function aboutFiles(
  storyId: string,
  taskId: string | undefined,
  { changes, steps }: StoryReview,
  shown: readonly { index: number }[],
) {
  const task = taskId === undefined ? "" : `&task=${taskId}`;
  const addressOf = (index: number): string => {
    const [step, ...others] = steps[index] ?? [];
    // What several attempts changed is joined again; other lines are read where they are.
    if (!step || others.length > 0) return `/stories/${storyId}/file?index=${index}${task}`;
    const { job_id, attempt, files } = step.of;
    return `/jobs/${job_id}/file?attempt=${attempt}&index=${files?.indexOf(step.file)}`;
  };
  const marksOf = (index: number) =>
    (changes.files[index]?.parts ?? []).map(({ job_id, attempt, path }) => ({ job_id, attempt, path }));
  return Object.fromEntries(shown.map(({ index }) => [index, { address: addressOf(index), marks: marksOf(index) }]));
}

/** A comment on a line of a story's changes: `of` names the attempts that the page showed. */
export const storyCommentForm = addJobCommentBody
  .omit({ attempt: true })
  .extend({ index: z.int().min(0), of: z.string() });

/** Attempts as forms name them: job and attempt. Null where it is none, or not a name. */
export function readAttempts(names: readonly unknown[]) {
  const sent = names.map((name) => {
    const [job_id, attempt] = String(name).split(" ");
    return { job_id, attempt: Number(attempt) };
  });
  return reviewStoryBody.shape.attempts.safeParse(sent).data ?? null;
}

/**
 * Drafts a comment at the attempt that the line belongs to. The line is that of the page as it was shown, even if
 * some of it has been judged since.
 */
export async function commentOnStory(
  actor: Actor,
  { story_id, task_id }: { story_id: string; task_id: string | undefined },
  { of, index, path, side, line, body }: z.infer<typeof storyCommentForm>,
): Promise<void> {
  const { attempts } = await getStoryChanges(actor, { story_id, most: mostShown });
  const story = reviewOfStory(asShown(attempts, readAttempts(of.split(",")) ?? []), { taskId: task_id });
  if (story.changes.files[index]?.path !== path) {
    throw new ContractError(409, "These changes are out of date. Copy your text and reload the page.");
  }
  const [first] = story.steps[index] ?? [];
  const isLeftOut = first?.file.left_out && first.of.verdict === null;
  const found = isLeftOut ? { step: first, line } : attemptOfLine(story.steps[index] ?? [], side, line);
  if (found === null) {
    throw new ContractError(
      422,
      "No change that waits for your verdict shows this line. Choose another line, or write it in the summary.",
    );
  }
  const {
    of: { job_id, attempt, task },
    file,
  } = found.step;
  const now = attempts.find((each) => each.job_id === job_id);
  if (now?.verdict !== null) {
    throw new ContractError(
      409,
      `${task.code} was judged while you wrote. Copy your text if someone should still read it.`,
    );
  }
  await addJobComment(actor, { job_id, attempt, path: file.path, line: found.line, side, body });
}
