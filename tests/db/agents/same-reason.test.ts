import { describe, expect, it } from "vitest";
import { claimAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, type SprintWorld, wait } from "../../setup/world";

const t = await createTestDatabase();
const seeds = Array.from({ length: 64 }, (_, n) => n * 31 + 7);

/** What can keep a job that is in turn from being claimed: how it comes about, bit by bit of a number. */
const obstacles: ((world: SprintWorld, jobId: string) => Promise<unknown>)[] = [
  ({ product }) => t.query`update public.products set archived_at = now() where id = ${product.id}`,
  (_, jobId) =>
    t.query`
      update public.sprint_runs r set status = 'PAUSED', pause_context = '{"reason": "manual"}'
      from public.agent_jobs j where j.id = ${jobId} and r.id = j.sprint_run_id`,
  (_, jobId) =>
    t.query`update public.agent_jobs set not_before = now() + interval '1 hour',
      failure_class = 'rate_limited' where id = ${jobId}`,
  ({ product }) =>
    t.query`update public.products set requires_sandbox = true where id = ${product.id}`,
  (_, jobId) =>
    t.sql.query(
      `with q as (insert into public.agent_questions (product_id, story_id, job_id, question, expires_at)
         select j.product_id, t.story_id, j.id, 'Which one?', now() + interval '1 day'
         from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.id = $1 returning id)
       update public.agent_jobs j set parked_question_id = q.id from q where j.id = $1`,
      [jobId],
    ),
  ({ product }) => t.query`update public.products set agent = 'codex' where id = ${product.id}`,
];

describe("a claim that finds nothing", { timeout: 60_000 }, () => {
  it.each(seeds)("gives a reason that the job itself gives (%i)", async (seed) => {
    const world = await t.seedSprint({ stories: [1] });
    const run = await world.start();
    const rows = await t.query<{ id: string }>`select id from public.agent_jobs
      where sprint_run_id = ${run.id}`;
    const job = at(rows, 0).id;
    for (const [bit, come] of obstacles.entries()) {
      if (seed & (1 << bit)) await come(world, job);
    }
    const named = seed % 2 === 0 ? { product_id: world.product.id } : {};
    const claimed = await claimAgentJob(world.actor, { worker: "worker-1", ...named });
    const { reasons } = await whyNotMoving(world.actor, { kind: "job", id: job });
    const codes = reasons.map(({ code }) => code);
    if (claimed.job) expect(codes).toEqual(["lease"]);
    else expect(codes).toContain(claimed.reason?.code);
  });

  it("says of an archived product that it is archived, also next to one that waits", async () => {
    const world = await t.seedSprint({ stories: [2] });
    await wait(world.actor, at(world.tasks, 0), at(world.tasks, 1));
    await world.start();
    await t.query`update public.products set archived_at = now() where id = ${world.product.id}`;
    const archived = { code: "archived", message: expect.stringContaining("2 queued") };
    for (const named of [{}, { product_id: world.product.id }]) {
      const { reason } = await claimAgentJob(world.actor, { worker: "worker-1", ...named });
      expect(reason).toMatchObject(archived);
    }
  });

  it("does not call a failed look a rate limit", async () => {
    const world = await t.seedSprint({ stories: [1] });
    await world.start();
    await t.query`update public.agent_jobs set not_before = now() + interval '1 hour',
      failure_class = 'agent_error' where product_id = ${world.product.id}`;
    const { reason } = await claimAgentJob(world.actor, { worker: "worker-1" });
    expect(reason?.message).toContain("0 for a rate limit, 1 for another try");
    const task = { kind: "task" as const, id: at(world.tasks, 0).id };
    expect((await whyNotMoving(world.actor, task)).reasons[0]?.message).toContain(
      "can be tried again at",
    );
  });
});
