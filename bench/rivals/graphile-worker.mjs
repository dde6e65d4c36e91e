import { Logger, run, runMigrations } from "graphile-worker";

/** Graphile Worker as it comes, without its local queue: a task that does nothing, so many at once. Jobs a second. */
export async function rateOfGraphileWorker(pool, backlog, workers, seconds) {
  const logger = new Logger(() => () => undefined);
  await runMigrations({ pgPool: pool, logger });
  await pool.query("select graphile_worker.add_job('nothing') from generate_series(1, $1::integer)", [backlog]);
  await pool.query("analyze");

  let done = 0;
  const startedAt = performance.now();
  const runner = await run({
    pgPool: pool,
    logger,
    concurrency: workers,
    noHandleSignals: true,
    taskList: {
      nothing: () => {
        done += 1;
      },
    },
  });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const rate = done / ((performance.now() - startedAt) / 1000);
  await runner.stop();
  await pool.query("drop schema graphile_worker cascade");
  return rate;
}
