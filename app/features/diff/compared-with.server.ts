import type { Actor } from "~/db/rpc.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { listViewed } from "~/nouns/reviews/operations.server";
import type { JobDiff } from "~/wire/agent-jobs/job-diff";

/** `?since=`: an attempt, or `looked` for what the person saw last of each file. */
export function sinceIn(query: URLSearchParams): string | undefined {
  return /^(?:looked|\d{1,6})$/.exec(query.get("since") ?? "")?.[0];
}

/** The earlier changes to compare with. Null to show everything. */
export async function comparedWith(
  actor: Actor,
  { job_id, attempt }: JobDiff,
  since: string | undefined,
): Promise<JobDiff | null> {
  if (since === undefined) return null;
  if (since !== "looked") return getJobDiff(actor, { job_id, attempt: Number(since) });
  const { before } = await listViewed(actor, { job_id, attempt });
  if (before === null) return null;
  const [diff, { paths }] = await Promise.all([
    getJobDiff(actor, { job_id, attempt: before }),
    listViewed(actor, { job_id, attempt: before }),
  ]);
  return diff && onlyFiles(diff, paths);
}

/** The changes of some of its files. */
export function onlyFiles(diff: JobDiff, paths: readonly string[]): JobDiff {
  const known = new Set(paths);
  return { ...diff, files: diff.files.filter(({ path }) => known.has(path)) };
}
