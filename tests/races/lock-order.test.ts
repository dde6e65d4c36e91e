import type pg from "pg";
import { expect, it } from "vitest";
import { sweep } from "~/nouns/schedules/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { listAgentWorkers, restartWorker } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

async function someone(): Promise<pg.PoolClient> {
  const client = await t.begin();
  await client.query("set local lock_timeout = '300ms'");
  return client;
}

it("The end of a run locks its jobs before their workers, as a heartbeat does", async () => {
  const { world, run, job } = await t.holdJob();
  const heartbeat = await someone();
  await heartbeat.query("select from public.agent_jobs where id = $1 for update", [job.id]);
  const cancelled = cancelSprintRun(world.actor, { sprint_run_id: run.id });
  await t.untilSomeoneWaits();
  const touch = "update public.agent_workers set last_seen_at = now() where user_id = $1";
  await heartbeat.query(touch, [world.owner.id]);
  await heartbeat.query("commit");
  expect(await cancelled).toMatchObject({ status: "cancelled" });
  const { workers } = await listAgentWorkers(world.actor, {});
  expect(workers).toMatchObject([{ current_job_id: null }]);
});

it("a sweep locks the products of leases and questions in one order", async () => {
  const worlds = [await t.holdJob(), await t.holdJob()].sort((a, b) =>
    a.world.product.id < b.world.product.id ? -1 : 1,
  );
  const [first, second] = worlds;
  if (!first || !second) throw new Error("Two worlds were made.");
  await t.query`update public.agent_jobs set lease_until = now() - interval '1 second' where id = ${second.job.id}`;
  await t.query`insert into public.agent_questions (product_id, story_id, asked_by, question, expires_at, park)
     select ${first.world.product.id}, s.id, ${first.world.owner.id}, 'Which?', now() - interval '1 second', true
       from public.stories s where s.product_id = ${first.world.product.id} limit 1`;
  const writer = await someone();
  await writer.query("select private.lock_product($1)", [first.world.product.id]);
  const swept = sweep(t.database);
  await t.untilSomeoneWaits();
  // In their order: the writer continues to the second product while the sweep waits for the first.
  await writer.query("select private.lock_product($1)", [second.world.product.id]);
  await writer.query("commit");
  expect(await swept).toMatchObject({ taken_back: 1, expired_questions: 1 });
});

it("A worker's restart closes the jobs that it held then, and not those claimed elsewhere", async () => {
  const { world, job } = await t.holdJob();
  const elsewhere = await t.holdJob();
  const holder = await someone();
  await holder.query("select private.lock_product($1)", [world.product.id]);
  const restarted = restartWorker(world.actor, { worker: "worker-1" });
  await t.untilSomeoneWaits();
  await t.query`update public.agent_jobs set worker_id = (select worker_id from public.agent_jobs
    where id = ${job.id}) where id = ${elsewhere.job.id}`;
  await holder.query("commit");
  expect((await restarted).closed.map(({ id }) => id)).toEqual([job.id]);
  expect(await t.columnOf("agent_jobs", elsewhere.job.id, "status")).toBe("CLAIMED");
});
