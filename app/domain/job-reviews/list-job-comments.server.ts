import type { JobDiff } from "~/contract/job-diff";
import { type JobComment, type JobComments, storedCommentsSchema } from "~/contract/job-review";
import { type Actor, callAs } from "~/db/rpc.server";
import { getJobDiff } from "~/domain/agent-jobs/operations.server";
import { findLine, linesOf, type NumberedLine } from "./find-line";

/** The reviews and comments of a job; each comment with where its line is in the newest changes, or in those that are given. */
export async function listJobComments(
  actor: Actor,
  { job_id }: { job_id: string },
  shown?: JobDiff | null,
): Promise<JobComments> {
  const [stored, diff] = await Promise.all([
    callAs(actor, "list_job_comments", { p_job_id: job_id }, storedCommentsSchema),
    shown === undefined ? getJobDiff(actor, { job_id }) : shown,
  ]);
  const known = new Map<string, NumberedLine[]>();
  const linesIn = (path: string, side: "old" | "new"): NumberedLine[] => {
    const key = `${side}:${path}`;
    const file = diff?.files.find((each) => each.path === path);
    const lines = known.get(key) ?? (file ? linesOf(file, side) : []);
    known.set(key, lines);
    return lines;
  };
  const comments = stored.comments.map((comment): JobComment => {
    const { path, side, line, line_text } = comment;
    const found = findLine(linesIn(path, side), line_text, line);
    return { ...comment, stale: found === null, current_line: found?.line ?? null };
  });
  return { ...stored, comments };
}
