import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { addJobCommentBody, reviewStoryBody } from "~/nouns/reviews/contract";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { getStoryChanges } from "~/nouns/reviews/operations.server";
import { tellStory } from "~/nouns/reviews/story-changes";
import { asShown, attemptOfLine } from "~/nouns/reviews/story-lines";

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
  const { attempts } = await getStoryChanges(actor, { story_id });
  const story = tellStory(asShown(attempts, readAttempts(of.split(",")) ?? []), task_id);
  if (story.changes.files[index]?.path !== path) {
    throw new ContractError(
      409,
      "These changes are out of date. Copy your text, and reload the page.",
    );
  }
  const found = attemptOfLine(story.steps[index] ?? [], side, line);
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
