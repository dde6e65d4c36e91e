import { describe, expect, it } from "vitest";
import {
  cancelAgentJob,
  checkQueueEmpty,
  listAgentJobs,
  reportAgentJob,
} from "~/nouns/agent-jobs/operations.server";
import { getSoloState, workerHeartbeat } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal } from "../../setup/world";
import { announcements } from "../../streams/announcements";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const done = { status: "done", verify_result: "ALIGNED" } as const;

describe("single jobs", () => {
  it("cannot be created: the refusal points to sprint runs", async () => {
    const world = await t.seedSprint({ stories: [1] });
    await expect(
      t.query`insert into public.agent_jobs (product_id, task_id, kind)
        values (${world.product.id}, ${at(world.tasks, 0).id}, 'TASK_IMPLEMENTATION')`,
    ).rejects.toThrow("Start a sprint run instead");
  });

  it("can be cancelled while queued, once and for all; the next one of the branch is in turn", async () => {
    const world = await t.seedSprint({ stories: [2] });
    const run = await world.start();
    const { jobs } = await listAgentJobs(world.actor, { sprint_run_id: run.id });
    const first = at(jobs, 0);
    const cancelled = await cancelAgentJob(world.actor, { job_id: first.id });
    expect(cancelled.status).toBe("cancelled");
    expect(cancelled.finished_at).not.toBeNull();
    expect((await cancelAgentJob(world.actor, { job_id: first.id })).status).toBe("cancelled");
    const job = await claim(world.actor);
    expect(job.id).toBe(at(jobs, 1).id);
    expect(await statusOf(cancelAgentJob(world.actor, { job_id: job.id }))).toBe(409);
    await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
    expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
    expect(await statusOf(cancelAgentJob(world.actor, { job_id: job.id }))).toBe(409);
    expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("TO_DO");
  });
});

describe("the queue", () => {
  it("says whether anything is left, and who holds a job", async () => {
    const world = await t.seedSprint({ stories: [3] });
    expect(await checkQueueEmpty(world.actor, {})).toMatchObject({ empty: true, queued: 0 });
    await world.start();
    expect(await checkQueueEmpty(world.actor, {})).toMatchObject({
      empty: false,
      claimable: true,
      queued: 3,
      held: 0,
      reason: null,
    });
    await claim(world.actor);
    expect(await checkQueueEmpty(world.actor, { product_id: world.product.id })).toMatchObject({
      claimable: false,
      queued: 2,
      held: 1,
      reason: { code: "order" },
    });
    const held = await listAgentJobs(world.actor, { state: "claimed" });
    expect(held.jobs.map((job) => job.worker_name)).toEqual(["worker-1"]);
    expect((await listAgentJobs(t.actorOf(await t.createUser()), {})).jobs).toEqual([]);
  });
});

describe("the first state of the solo stream", () => {
  it("names the active sprint, the unfinished jobs in database form, and counts the workers online", async () => {
    const world = await t.seedSprint({ stories: [2] });
    const input = { product_id: world.product.id };
    expect(await getSoloState(world.actor, input)).toEqual({
      sprint_id: world.sprint.id,
      jobs: [],
      workers: { count: 0 },
    });
    const run = await world.start();
    const job = await claim(world.actor);
    await claimRefusal(world.actor, "worker-2");
    await workerHeartbeat(world.actor, { worker: "worker-3", stopped: true });
    const state = await getSoloState(world.actor, input);
    expect(state.workers.count).toBe(2);
    expect(state.jobs.map(({ status }) => status)).toEqual(["CLAIMED", "QUEUED"]);
    expect(state.jobs[0]).toEqual({
      id: job.id,
      task_id: at(world.tasks, 0).id,
      kind: "TASK_IMPLEMENTATION",
      status: "CLAIMED",
      sprint_run_id: run.id,
    });
    const stranger = t.actorOf(await t.createUser());
    expect(await statusOf(getSoloState(stranger, input))).toBe(403);
  });
});

const { announced } = announcements(t);

describe("change events", () => {
  it("report the job, its task in progress and its task done", async () => {
    const world = await t.seedSprint({ stories: [1] });
    await world.start();
    const job = await claim(world.actor);
    await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
    const told = (await announced(`product:${world.product.id}`)).map(({ payload }) => payload);
    const task = { entity: "task", id: at(world.tasks, 0).id };
    expect(told).toContainEqual(expect.objectContaining({ ...task, task_status: "IN_PROGRESS" }));
    expect(told).toContainEqual(expect.objectContaining({ ...task, task_status: "DONE" }));
    for (const status of ["CLAIMED", "DONE"]) {
      expect(told).toContainEqual(
        expect.objectContaining({ entity: "job", id: job.id, status, task_id: task.id }),
      );
    }
  });
});
