import { type Actor, callAs } from "~/db/rpc.server";
import type { JobDiff } from "~/nouns/agent-jobs/job-diff";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { type JobComment, type JobComments, storedCommentsSchema } from "./contract";
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
