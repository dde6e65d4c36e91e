import PgBoss from "pg-boss";
import { closedLoop } from "../jobs/closed-loop.ts";

const queue = "bench";

/** pg-boss fetching and completing one job at a time. Jobs a second. */
export async function rateOfPgBoss(pool, backlog, workers, seconds) {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.createQueue(queue);
  await boss.insert(Array.from({ length: backlog }, () => ({ name: queue })));
  await pool.query("analyze");

  const rate = await closedLoop(workers, seconds, async () => {
    const [job] = await boss.fetch(queue);
    if (!job) return false;
    await boss.complete(queue, job.id);
    return true;
  });
  await boss.stop({ graceful: false, wait: true });
  await pool.query("drop schema pgboss cascade");
  return rate;
}
