import { type Actor, callAs } from "~/db/rpc.server";
import { madeInThread } from "~/features/diff/show-lines.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import type { PlacedComment } from "~/nouns/reviews/story-lines";
import { diffLimits, type JobDiff } from "~/wire/agent-jobs/job-diff";
import * as wire from "~/wire/reviews/contract";

/** Reviews and comments of a job. Each comment has its line's position in the latest changes. */
export async function listJobComments(actor: Actor, { job_id }: { job_id: string }): Promise<wire.JobComments> {
  const stored = await callAs(actor, "list_job_comments", { p_job_id: job_id }, wire.storedCommentsSchema);
  if (stored.comments.length === 0) return { ...stored, comments: [] };
  const paths = [...new Set(stored.comments.map(({ path }) => path))];
  const [diff, { user_id }] = await Promise.all([
    getJobDiff(actor, { job_id, paths, most: diffLimits.bytes }),
    authenticate(actor),
  ]);
  const placed = await placeComments(diff, stored.comments, user_id);
  return { ...stored, comments: placed.map(({ index: _place, ...comment }) => comment) };
}

/** Comments with their lines in an attempt's changes, of which only the files that have one are read. */
export async function placeComments(
  diff: JobDiff | null,
  comments: wire.StoredComment[],
  viewer: string,
): Promise<PlacedComment[]> {
  if (comments.length === 0) return [];
  const paths = new Set(comments.map(({ path }) => path));
  const read = diff && { ...diff, files: diff.files.filter(({ path }) => paths.has(path)) };
  return JSON.parse(await madeInThread({ attempt: { diff: read, comments } }, viewer));
}
