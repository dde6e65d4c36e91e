import { describe, expect, it } from "vitest";
import { whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { getSprintRun, pauseSprintRun } from "~/nouns/sprint-runs/operations.server";
import { workerHeartbeat } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function startedRun() {
  const world = await t.seedSprint({ stories: [2] });
  const run = await world.start();
  const { jobs } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  const why = async (kind: "job" | "task" | "run", id: string) => {
    const answer = await whyNotMoving(world.actor, { kind, id });
    expect(answer.text?.length).toBeGreaterThan(10);
    return answer;
  };
  const codes = async (kind: "job" | "task" | "run", id: string) =>
    (await why(kind, id)).reasons.map(({ code }) => code);
  return { world, run, first: at(jobs, 0).id, second: at(jobs, 1).id, why, codes };
}

describe("why is this not moving", () => {
  it("no worker is online", async () => {
    const { first, run, world, codes } = await startedRun();
    expect(await codes("job", first)).toEqual(["no_worker"]);
    expect(await codes("run", run.id)).toEqual(["no_worker"]);
    expect(await codes("task", at(world.tasks, 0).id)).toEqual(["no_worker"]);
  });

  it("every worker online is under its quota", async () => {
    const { world, first, codes } = await startedRun();
    await workerHeartbeat(world.actor, { worker: "w", quota_pct: 5 });
    expect(await codes("job", first)).toEqual(["quota"]);
    await workerHeartbeat(world.actor, { worker: "w", quota_pct: 50 });
    expect(await codes("job", first)).toEqual(["ready"]);
    await workerHeartbeat(world.actor, { worker: "w", stopped: true });
    expect(await codes("job", first)).toEqual(["no_worker"]);
  });

  it("someone holds it, until when; the next one waits for its turn", async () => {
    const { world, first, second, run, why } = await startedRun();
    const job = await claim(world.actor, "worker-9");
    const held = await why("job", first);
    expect(held.moving).toBe(true);
    expect(held.reasons).toMatchObject([
      { code: "lease", worker_name: "worker-9", lease_until: job.lease_until },
    ]);
    expect((await why("run", run.id)).moving).toBe(true);
    const waiting = await why("job", second);
    expect(waiting.reasons).toMatchObject([{ code: "order", job_id: first }]);
    expect(waiting.text).toContain("T-1");
  });

  it("the run is paused, or a rate limit holds it back", async () => {
    const { world, first, run, codes } = await startedRun();
    await workerHeartbeat(world.actor, { worker: "w" });
    await t.query`update public.agent_jobs set not_before = now() + interval '1 hour'
      where id = ${first}`;
    expect(await codes("job", first)).toEqual(["not_before"]);
    await pauseSprintRun(world.actor, { sprint_run_id: run.id, reason: "merge_conflict" });
    expect(await codes("job", first)).toEqual(["paused", "not_before"]);
  });

  it("there is no run, no sprint, or nothing left to do", async () => {
    const { world, run, codes, first } = await startedRun();
    const task = at(world.tasks, 0).id;
    const story = await create(world.actor, "create_story", {
      p_pbi_id: world.pbi.id,
      p_title: "Elsewhere",
    });
    const loose = await create(world.actor, "create_task", { p_story_id: story.id, p_title: "T" });
    expect(await codes("task", loose.id)).toEqual(["no_sprint"]);
    await create(world.actor, "add_story_to_sprint", {
      p_sprint_id: world.sprint.id,
      p_story_id: story.id,
    });
    expect(await codes("task", loose.id)).toEqual(["no_run"]);
    await t.query`update public.tasks set status = 'FAILED' where id = ${task}`;
    expect(await codes("task", task)).toEqual(["failed"]);
    expect(await codes("run", run.id)).toEqual(["finished"]);
    expect(await codes("job", first)).toEqual(["finished"]);
    await t.query`update public.tasks set status = 'REVIEW' where id = ${task}`;
    expect(await codes("task", task)).toEqual(["review"]);
    await t.query`update public.tasks set status = 'DONE' where id = ${task}`;
    expect(await codes("task", task)).toEqual(["finished"]);
  });

  it("is for members only", async () => {
    const { first, world } = await startedRun();
    const stranger = t.actorOf(await t.createUser());
    expect(await statusOf(whyNotMoving(stranger, { kind: "job", id: first }))).toBe(403);
    expect(await statusOf(whyNotMoving(world.actor, { kind: "run", id: first }))).toBe(404);
  });
});
