import type { Actor } from "~/db/rpc.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { listViewed } from "~/nouns/reviews/operations.server";
import type { JobDiff } from "~/wire/agent-jobs/job-diff";

/** `?since=`: an attempt, or `looked` for what the person saw last of each file. */
export type Since = number | "looked";

export function sinceIn(query: URLSearchParams): Since | undefined {
  const text = query.get("since") ?? "";
  if (text === "looked") return text;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** The earlier changes to compare with, by the first choice that has some. Null to show everything. */
export async function comparedWith(
  actor: Actor,
  diff: JobDiff,
  choices: readonly (Since | undefined)[],
): Promise<{ before: JobDiff; choice: Since } | null> {
  for (const choice of choices) {
    const before = choice === undefined ? null : await earlierDiff(actor, diff, choice);
    if (choice !== undefined && before !== null) return { before, choice };
  }
  return null;
}

async function earlierDiff(actor: Actor, { job_id, attempt }: JobDiff, since: Since): Promise<JobDiff | null> {
  if (since !== "looked") return getJobDiff(actor, { job_id, attempt: since });
  const { before } = await listViewed(actor, { job_id, attempt });
  if (before === null) return null;
  const [diff, { paths }] = await Promise.all([
    getJobDiff(actor, { job_id, attempt: before }),
    listViewed(actor, { job_id, attempt: before }),
  ]);
  if (diff === null) return null;
  const seen = new Set(paths);
  return { ...diff, files: diff.files.filter(({ path }) => seen.has(path)) };
}
