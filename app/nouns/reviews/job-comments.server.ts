import { type Actor, callAs } from "~/db/rpc.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { type JobDiff, mostShown } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";
import {
  type AddJobCommentInput,
  type JobComment,
  type JobComments,
  storedCommentSchema,
  storedCommentsSchema,
} from "~/wire/reviews/contract";
import { linesByText, linesOf, nearestTo } from "./find-line";

/** Reviews and comments of a job. Each comment has its line's position in the latest changes, or in `shown`. */
export async function listJobComments(
  actor: Actor,
  { job_id }: { job_id: string },
  shown?: JobDiff | null,
): Promise<JobComments> {
  const [stored, diff] = await Promise.all([
    callAs(actor, "list_job_comments", { p_job_id: job_id }, storedCommentsSchema),
    shown === undefined ? getJobDiff(actor, { job_id }) : shown,
  ]);
  const files = new Map(diff?.files.map((file) => [file.path, file]));
  const known = new Map<string, Map<string, number[]>>();
  const linesWith = (path: string, side: "old" | "new", text: string): number[] => {
    const key = `${side}:${path}`;
    const file = files.get(path);
    // Indexed once per file, no matter how many comments it has.
    const lines = known.get(key) ?? linesByText(file ? linesOf(file, side) : []);
    known.set(key, lines);
    return lines.get(text) ?? [];
  };
  const comments = stored.comments.map((comment): JobComment => {
    const { path, side, line, line_text } = comment;
    const found = nearestTo(line, linesWith(path, side, line_text));
    return { ...comment, stale: found === null, current_line: found };
  });
  return { ...stored, comments };
}

/** Drafts a comment on a line. No one else sees it until it is sent with a review. */
export async function addJobComment(
  actor: Actor,
  { job_id, path, line, side, body, attempt }: AddJobCommentInput,
): Promise<JobComment> {
  const diff = await getJobDiff(actor, { job_id, attempt, paths: [path], most: mostShown });
  if (diff === null) {
    throw new ContractError(409, "There are no changes to comment on yet. Wait for the attempt to end.");
  }
  const file = diff.files.find((each) => each.path === path);
  const found = file && linesOf(file, side).find((each) => each.line === line);
  if (!found) {
    throw new ContractError(
      422,
      `The changes of attempt ${diff.attempt} do not show this line. Choose one of the diff.`,
      { issues: [{ path: file ? "line" : "path", message: "Is not part of the diff." }] },
    );
  }
  const stored = await callAs(
    actor,
    "add_job_comment",
    {
      p_job_id: job_id,
      p_attempt: diff.attempt,
      p_path: path,
      p_line: line,
      p_side: side,
      p_line_text: found.text,
      p_body: body,
    },
    storedCommentSchema,
  );
  return { ...stored, stale: false, current_line: line };
}
