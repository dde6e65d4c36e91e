import { describe, expect, it } from "vitest";
import { claimAgentJob, reportAgentJob, reportMerged, updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { removeDependency } from "~/nouns/dependencies/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { preflightSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { JobPayload } from "~/wire/workers/contract";
import { createTestDatabase } from "../setup/database";
import { numbersFrom } from "../setup/drawn-numbers";
import { at, type SprintWorld, wait, waitStory } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);
const strategies = ["SPRINT", "STORY", "SPRINT_BATCH"] as const;

/** One dependency more, of tasks or of stories; what would close a circle is refused, which is fine. */
async function addOne(world: SprintWorld, below: (n: number) => number): Promise<void> {
  const isStory = below(4) === 0;
  const things = isStory ? world.stories : world.tasks;
  const [one, other] = [at(things, below(things.length)), at(things, below(things.length))];
  const say = isStory ? waitStory : wait;
  await say(world.actor, one, other).catch(() => undefined);
}

async function finish(world: SprintWorld, job: JobPayload): Promise<void> {
  const held = { job_id: job.id, attempt: job.attempt };
  for (const { task_id } of job.executions ?? []) {
    await updateTaskExecution(world.actor, { ...held, task_id, status: "done", verify_result: "ALIGNED" });
  }
  await reportAgentJob(world.actor, {
    ...held,
    status: "done",
    verify_result: "ALIGNED",
    base_sha: "0".repeat(40),
    head_sha: "a".repeat(40),
  });
}

/** Works until a claim finds nothing; what happens in between is the caller's. */
async function workAll(world: SprintWorld, between: () => Promise<void>): Promise<void> {
  for (;;) {
    const { job } = await claimAgentJob(world.actor, { worker: "worker-1" });
    if (job === null) return;
    await between();
    await finish(world, job);
  }
}

const seeds = Array.from({ length: rounds * 3 }, (_, n) => n + 1);

describe("no order of work and dependencies stands still", { timeout: 30_000 * rounds }, () => {
  it.each(seeds)("A run with random dependencies ends, even with more added while it works (%i)", async (seed) => {
    const below = numbersFrom(seed);
    const world = await t.seedSprint({
      strategy: at(strategies, seed % 3),
      stories: [1 + below(3), 1 + below(3), 1 + below(3), 1 + below(3)],
    });
    for (let n = 0; n < 12; n++) await addOne(world, below);
    await world.start();
    await workAll(world, async () => {
      if (below(2) === 0) await addOne(world, below);
    });
    expect(new Set(await t.statusesOf("tasks", world.tasks))).toEqual(new Set(["DONE"]));
    await t.expectRightCounters();
  });

  it.each(seeds)("A run ends when preflight has no blocker and dependencies wait for merges (%i)", async (seed) => {
    const below = numbersFrom(seed);
    const world = await t.seedSprint({ strategy: "STORY", stories: [3, 2, 3, 2] });
    await updateProduct(world.actor, { product_id: world.product.id, dependency_release: "merged" });
    for (let n = 0; n < 10; n++) await addOne(world, below);

    // Each blocker has its cure: with the last of them gone the run can start, and it ends.
    for (;;) {
      const { blockers } = await preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
      expect(blockers.every(({ type }) => type === "dependency_deadlock")).toBe(true);
      const circle = blockers[0]?.dependency;
      if (circle === undefined) break;
      await removeDependency(world.actor, { kind: circle.kind, id: circle.id, blocker: circle.blocker_id });
    }
    await world.start();
    for (let merged = 1; merged > 0; ) {
      await workAll(world, async () => undefined);
      merged = await mergeWholeStories(world);
      await t.expectRightCounters();
    }
    expect(new Set(await t.statusesOf("tasks", world.tasks))).toEqual(new Set(["DONE"]));
  });
});

/** What a person does: a branch comes to the main branch when the story is done. Answers how many jobs that were. */
async function mergeWholeStories(world: SprintWorld): Promise<number> {
  const rows = await t.query<{ id: string }>`
    select j.id from agent_jobs j join tasks t on t.id = j.task_id join stories s on s.id = t.story_id
    where j.product_id = ${world.product.id} and j.merged_at is null and s.status = 'DONE'`;
  for (const { id } of rows) await reportMerged(world.actor, { job_id: id });
  return rows.length;
}

it("dependency_deadlock names branches that wait for each other, only where code has to be merged", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 2, 1] });
  const [a, b, c] = [at(world.stories, 0), at(world.stories, 1), at(world.stories, 2)];
  await wait(world.actor, at(a.tasks, 1), at(b.tasks, 0));
  await wait(world.actor, at(b.tasks, 1), at(a.tasks, 0));
  await wait(world.actor, at(c.tasks, 0), at(a.tasks, 0));
  const preflight = () => preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
  const set = (dependency_release: "done" | "merged") =>
    updateProduct(world.actor, { product_id: world.product.id, dependency_release });
  expect((await preflight()).ready).toBe(true);

  await set("merged");
  expect((await preflight()).blockers).toMatchObject([
    {
      type: "dependency_deadlock",
      task_code: at(a.tasks, 1).code,
      dependency: { kind: "task", blocker_code: at(b.tasks, 0).code, joining_story_id: null },
    },
    {
      type: "dependency_deadlock",
      task_code: at(b.tasks, 1).code,
      dependency: { kind: "task", blocker_code: at(a.tasks, 0).code, joining_story_id: null },
    },
  ]);
  await updateProduct(world.actor, { product_id: world.product.id, pr_strategy: "SPRINT" });
  expect((await preflight()).ready).toBe(true);
  await updateProduct(world.actor, { product_id: world.product.id, pr_strategy: "STORY" });
  await removeDependency(world.actor, { kind: "task", id: at(a.tasks, 1).id, blocker: at(b.tasks, 0).id });
  expect((await preflight()).ready).toBe(true);
});
