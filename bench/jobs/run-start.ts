import type pg from "pg";
import type { Database } from "~/db/database.server";
import { atMost } from "../at-most";
import { medianRatio, millisecondsOf, verdict } from "../streams/statistics";
import { createQueueWorld, startRuns } from "./world";

/** The start of a run of 1,000 tasks, checks and events included, against the bare statement that inserts the jobs. */
export async function measureRunStart(sql: pg.Pool, database: Database, rounds: number): Promise<void> {
  const measure = async () => {
    const queue = await createQueueWorld(sql, database, atMost(1_000), 1);
    const ours = await millisecondsOf(() => startRuns(queue));
    return [ours, await millisecondsOf(() => insertBare(sql, queue.sprintIds[0] ?? ""))] as const;
  };
  const say = (ours: number, bare: number) => `start of 1,000 tasks: ${ours} ms, bare insert ${bare} ms`;
  console.log(verdict("start of a run of 1,000 tasks", await medianRatio(rounds, measure, say), 1.5, "lower"));
}

/** The same rows into the same table with its indexes, triggers and events, in one statement, with no check at all. */
async function insertBare(sql: pg.Pool, sprintId: string): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query("begin");
    await client.query("delete from public.sprint_runs where sprint_id = $1", [sprintId]);
    await client.query(
      `with run as (
         insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch)
         select id, product_id, 'STORY', 'bare' from public.sprints where id = $1 returning id, product_id)
       insert into public.agent_jobs (product_id, task_id, kind, sprint_run_id, position, branch)
       select r.product_id, t.id, 'TASK_IMPLEMENTATION', r.id,
         row_number() over (order by p.priority, p.sort_order, s.sort_order, t.sort_order), 'bare'
       from run r join public.stories s on s.sprint_id = $1 join public.pbis p on p.id = s.pbi_id
       join public.tasks t on t.story_id = s.id`,
      [sprintId],
    );
    await client.query("rollback");
  } finally {
    client.release();
  }
}
