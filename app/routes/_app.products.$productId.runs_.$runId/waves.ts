import type { RunOrder } from "~/nouns/dependencies/contract";

interface OrderedJob {
  id: string;
  task_id: string | null;
  story_id: string | null;
}

/**
 * Groups jobs that can run at once, in order: a job follows the previous one in its branch queue and all blockers of
 * its task, both tasks and whole stories.
 */
export function wavesOf<Job extends OrderedJob>(jobs: readonly Job[], order: RunOrder): Job[][] {
  const known = new Map(jobs.map((job) => [job.id, job]));
  /** The wave after which a branch queue, task or story is done, for the jobs seen so far. */
  const ends = new Map<string, number>();
  const waves: Job[][] = [];
  for (const { job_id, lane, blocked_by } of order) {
    const job = known.get(job_id);
    if (!job) continue;
    const before = [lane, ...blocked_by.map(({ id }) => id)].map((id) => ends.get(id) ?? 0);
    const wave = Math.max(...before);
    waves[wave] = [...(waves[wave] ?? []), job];
    for (const id of [lane, job.task_id, job.story_id]) {
      if (id !== null) ends.set(id, Math.max(ends.get(id) ?? 0, wave + 1));
    }
  }
  return waves;
}
