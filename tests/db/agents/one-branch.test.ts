import { expect, it } from "vitest";
import {
  appendJobOutput,
  reportAgentJob,
  reportJobConflict,
  saveJobDiff,
  updateTaskExecution,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { getSprintRun, pauseSprintRun, resumeSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, finish, type SprintOptions } from "../../setup/world";

const t = await createTestDatabase();

/** Four tasks of one branch, each looked at by a person before it is done. */
async function openLane() {
  const world = await t.seedSprint({ strategy: "SPRINT", stories: [1, 1, 1, 1] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  const wait = (task: number, blocker: number) =>
    addDependency(actor, { kind: "task", id: at(world.tasks, task).id, blocked_by: at(world.tasks, blocker).id });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const done = (job: { id: string; attempt: number }) => finish(actor, job);
  const work = async () => {
    const job = await claim(actor);
    await done(job);
    return job;
  };
  return { actor, wait, done, work };
}

it("A branch with a job at work hands out no second one when changes are requested of an earlier task", async () => {
  const { actor, wait, done, work } = await openLane();
  const first = await work();
  await setTaskStatus(actor, { task_id: first.task_id ?? "", status: "done" });
  await wait(1, 0);
  await work();
  const third = await claim(actor, "w1");
  const changes = { verdict: "request_changes", summary: "Say it louder" } as const;
  await reviewJob(actor, { job_id: first.id, ...changes });
  expect(await claimRefusal(actor, "w2")).toBe("review");
  await done(third);
  expect((await claim(actor, "w2")).id).toBe(first.id);
});

it("A dependency added to a task in review does not hold up the rest of its branch", async () => {
  const { actor, wait, done, work } = await openLane();
  await work();
  const second = await claim(actor, "w1");
  await wait(0, 2);
  expect(await claimRefusal(actor, "w2")).toBe("review");
  await done(second);
  expect((await claim(actor, "w2")).attempt).toBe(1);
});

const sha = (letter: string) => letter.repeat(40);

async function scene(options: SprintOptions) {
  const world = await t.seedSprint(options);
  const run = await world.start();
  const read = () => getSprintRun(world.actor, { sprint_run_id: run.id });
  const why = async (kind: "job" | "run", id: string) => (await whyNotMoving(world.actor, { kind, id })).reasons;
  return { ...world, run, read, why };
}

type Held = Awaited<ReturnType<typeof claim>>;
const codeOf = ({ task }: Held) => task?.code ?? "";

it("Tasks at work on the same file are named in pairs by the run, from diffs and from agents' edits", async () => {
  const { actor, run, read, why } = await scene({ strategy: "STORY", stories: [1, 1, 1] });
  const first = await claim(actor, "worker-1");
  const second = await claim(actor, "worker-2");
  const file = { status: "added" as const, additions: 1, deletions: 0, binary: false };
  await saveJobDiff(actor, {
    job_id: first.id,
    attempt: 1,
    base_sha: sha("a"),
    head_sha: sha("b"),
    files: [
      { ...file, path: "same.ts" },
      { ...file, path: "own.ts" },
    ],
  });
  expect((await read()).overlaps).toEqual([]);
  const now = new Date().toISOString();
  await appendJobOutput.json(actor, {
    job_id: second.id,
    attempt: 1,
    entries: [{ seq: 1, at: now, kind: "edit", text: "", path: "same.ts" }],
  });
  expect((await read()).overlaps).toEqual([
    {
      tasks: [first, second].map((job) => ({ id: job.task_id, code: codeOf(job) })),
      files: ["same.ts"],
      files_total: 1,
    },
  ]);
  const message = `${codeOf(first)} and ${codeOf(second)} both change same.ts.`;
  const overlap = expect.objectContaining({ code: "overlap", blocking: false, message });
  expect(await why("run", run.id)).toContainEqual(overlap);
  expect(await why("job", second.id)).toContainEqual(overlap);

  // Once neither is at work nothing is to be seen any more.
  for (const { id } of [first, second]) {
    await reportAgentJob(actor, { job_id: id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  }
  expect((await read()).overlaps).toEqual([]);
});

it("Tasks that do not merge are named by job and run while one of them waits to resolve it", async () => {
  const { actor, run, why } = await scene({ strategy: "STORY", stories: [1, 1] });
  const first = await claim(actor, "worker-1");
  const second = await claim(actor, "worker-2");
  await reportAgentJob(actor, { job_id: first.id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  await reportJobConflict(actor, {
    job_id: second.id,
    attempt: 1,
    kind: "sibling",
    branch: first.branch ?? "",
    ours_sha: sha("a"),
    theirs_sha: sha("b"),
    files: [{ path: "same.ts" }],
  });
  const message = `${codeOf(second)} does not merge with ${codeOf(first)} in same.ts and goes back to work with both versions.`;
  const reasons = await why("job", second.id);
  expect(reasons.map(({ code }) => code)).toEqual(["ready", "conflict"]);
  expect(reasons[1]).toMatchObject({ message, blocking: false });
  expect(await why("run", run.id)).toContainEqual(expect.objectContaining({ message }));
  await claim(actor, "worker-2");
  expect((await why("job", second.id)).map(({ code }) => code)).toEqual(["lease"]);
});

it("A dependency against the order of a lane does not stop the lane if its task has begun", async () => {
  const { actor, tasks, read } = await scene({ strategy: "SPRINT", stories: [3] });
  const [first, second, third] = [at(tasks, 0), at(tasks, 1), at(tasks, 2)];
  const held = await claim(actor);
  for (const blocker of [second, third]) {
    await addDependency(actor, { kind: "task", id: first.id, blocked_by: blocker.id });
  }
  await reportAgentJob(actor, { job_id: held.id, attempt: 1, status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  const order: (string | null)[] = [];
  for (const _job of tasks) {
    const job = await claim(actor);
    order.push(job.task_id);
    await finish(actor, job);
  }
  expect(order).toEqual([second.id, third.id, first.id]);
  expect((await read()).status).toBe("done");
});

it("A paused batch continues in the order of new dependencies, also for the task that was at work", async () => {
  const { actor, tasks, run } = await scene({ strategy: "SPRINT_BATCH", stories: [2] });
  const [first, second] = [at(tasks, 0), at(tasks, 1)];
  const job = await claim(actor);
  await updateTaskExecution(actor, { job_id: job.id, attempt: 1, task_id: first.id, status: "running" });
  await addDependency(actor, { kind: "task", id: first.id, blocked_by: second.id });
  await pauseSprintRun(actor, { sprint_run_id: run.id });
  const next = await resumeSprintRun(actor, { sprint_run_id: run.id });
  const { executions } = await getSprintRun(actor, { sprint_run_id: next.id });
  expect(executions.map(({ task_id }) => task_id)).toEqual([second.id, first.id]);
});
