import type { RunOrder } from "~/contract/dependency";

interface OrderedJob {
  id: string;
  task_id: string | null;
  story_id: string | null;
}

/**
 * Which jobs can be at work at once, first to last: a job comes after the one before it in its lane, and after everything
 * that its task waits for, tasks and whole stories.
 */
export function wavesOf<Job extends OrderedJob>(jobs: readonly Job[], order: RunOrder): Job[][] {
  const known = new Map(jobs.map((job) => [job.id, job]));
  /** The wave in which a lane, a task or a story is done, as far as its jobs were seen. */
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
