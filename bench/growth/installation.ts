import { type Installation as Open, openInstallation } from "../installation";
import { createQueueWorld, type Queue, startRuns } from "../jobs/world";
import { pastTriggers } from "../rows";
import type { Team } from "./questions";

/** An installation as `npm start` has it, with one small team that asks. */
export type Installation = Awaited<ReturnType<typeof install>>;

/** The tasks of the product that is looked at: a board as a team has it. */
const tasksOnBoard = 160;

export async function install(jobs: number) {
  let running = await openInstallation();
  const { dataDir } = running;
  const reads = await createQueueWorld(running.sql, running.database, tasksOnBoard, 1);
  await addQueue(running, reads, jobs);
  const { rows } = await running.sql.query<{ id: string; story_id: string }>(
    "select id, story_id from public.tasks where product_id = $1 order by sort_order limit 1",
    [reads.productIds[0]],
  );
  const team: Team = { reads, taskId: rows[0]?.id ?? "", storyId: rows[0]?.story_id ?? "" };
  return {
    dataDir,
    team,
    get sql() {
      return running.sql;
    },
    pid: () => running.cluster.pid(),
    /** Lets go of the data folder, does something with it, and starts again: no connection knows what was before. */
    async whileClosed(work: () => Promise<void>) {
      await running.close();
      await work();
      running = await openInstallation(dataDir);
      reads.actor.database = running.database;
    },
    remove: () => running.remove(),
  };
}

/** A second product of the same person, whose run waits: enough jobs for all rounds. */
async function addQueue({ sql, database }: Open, reads: Queue, jobs: number): Promise<void> {
  const queue = await createQueueWorld(sql, database, jobs, 1);
  await pastTriggers(sql, (client) =>
    client.query(
      `with owner as (update public.products set owner_id = $1 where id = $2)
       update public.product_members set user_id = $1 where product_id = $2`,
      [reads.userId, queue.productIds[0]],
    ),
  );
  await startRuns({ ...queue, actor: reads.actor });
}
