/** Runs so many workers, each doing the next thing when the last is done. Things a second; false means nothing was left. */
export async function closedLoop(
  workers: number,
  seconds: number,
  once: (worker: number) => Promise<boolean>,
): Promise<number> {
  let done = 0;
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() < until && (await once(worker))) done += 1;
    }),
  );
  return done / ((performance.now() - startedAt) / 1000);
}
