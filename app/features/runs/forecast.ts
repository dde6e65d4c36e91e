interface TimedJob {
  status: string;
  started_at: string | null;
  finished_at: string | null;
}

/** How long the rest may take, from how long the finished jobs took; null before the first has finished. */
export function forecastMilliseconds(
  jobs: readonly TimedJob[],
  workersAtOnce: number,
): number | null {
  const taken: number[] = [];
  for (const job of jobs) {
    if (job.status === "done" && job.started_at && job.finished_at) {
      taken.push(Date.parse(job.finished_at) - Date.parse(job.started_at));
    }
  }
  if (taken.length === 0) return null;
  const left = jobs.filter(
    ({ status }) => status === "queued" || status === "claimed" || status === "running",
  ).length;
  const average = taken.reduce((sum, time) => sum + time, 0) / taken.length;
  return (left * average) / Math.max(1, workersAtOnce);
}
