import { expect, it } from "vitest";
import { reportAgentJob, updateTaskExecution, verifySprintTask } from "~/nouns/agent-jobs/operations.server";
import { getSprintRun, pauseSprintRun, resumeSprint, resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

async function heldBatch() {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [2, 1] });
  const run = await world.start();
  const job = await claim(world.actor);
  const attempt = { job_id: job.id, attempt: job.attempt };
  const taskId = (n: number) => at(world.tasks, n).id;
  const execute = (
    n: number,
    status: "running" | "done" | "failed" | "skipped",
    verify_result?: "ALIGNED" | "PARTIAL" | "EMPTY" | "DIVERGENT",
  ) => updateTaskExecution(world.actor, { ...attempt, task_id: taskId(n), status, verify_result });
  const taskStatuses = () => t.statusesOf("tasks", world.tasks);
  return { world, run, job, attempt, taskId, execute, taskStatuses };
}

it("A batch job carries all its tasks in order with their frozen plans", async () => {
  const { job, world, taskStatuses } = await heldBatch();
  expect(job.task).toBeNull();
  expect(job.executions?.map((e) => [e.task_id, e.plan, e.status])).toEqual([
    [at(world.tasks, 0).id, "Change src/part-1-1.ts", "pending"],
    [at(world.tasks, 1).id, "Change src/part-1-2.ts", "pending"],
    [at(world.tasks, 2).id, "Change src/part-2-1.ts", "pending"],
  ]);
  expect(await taskStatuses()).toEqual(["IN_PROGRESS", "TO_DO", "TO_DO"]);
});

it("A batch job moves each task by its execution and names the task at work until all are done", async () => {
  const { world, run, job, attempt, taskId, execute, taskStatuses } = await heldBatch();
  expect(await execute(0, "running")).toMatchObject({ status: "running" });
  expect(await execute(0, "done", "ALIGNED")).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(await t.columnOf("agent_jobs", job.id, "task_id")).toBe(taskId(1));
  await execute(1, "running");
  expect(await taskStatuses()).toEqual(["DONE", "IN_PROGRESS", "TO_DO"]);
  const early = await refusalOf(reportAgentJob(world.actor, { ...attempt, status: "done" }));
  expect(early.status).toBe(422);
  expect(early.message).toContain("T-2, T-3");
  await execute(1, "done", "PARTIAL");
  await execute(2, "done", "EMPTY");
  expect(await taskStatuses()).toEqual(["DONE", "DONE", "REVIEW"]);
  await reportAgentJob(world.actor, { ...attempt, status: "done" });
  const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(ended.status).toBe("done");
  expect(ended.executions.map((e) => e.status)).toEqual(["done", "done", "skipped"]);
  expect(ended.executions.every((e) => e.finished_at !== null)).toBe(true);
  expect(await taskStatuses()).toEqual(["DONE", "DONE", "REVIEW"]);
});

it("A task of a batch is measured by the requirement frozen at the start, not by a later edit", async () => {
  const { world, attempt, taskId, execute } = await heldBatch();
  await t.query`update public.tasks set verify_required = 'ANY' where product_id = ${world.product.id}`;
  const verified = await verifySprintTask(world.actor, {
    ...attempt,
    task_id: taskId(0),
    changed_files: ["README.md"],
  });
  expect(verified).toMatchObject({ verify_result: "DIVERGENT", verify_required: "ALIGNED_OR_PARTIAL", passes: false });
  expect(await statusOf(execute(0, "done"))).toBe(422);
  await verifySprintTask(world.actor, { ...attempt, task_id: taskId(0), verify_result: "PARTIAL" });
  expect((await execute(0, "done")).status).toBe("done");
  expect((await execute(0, "done")).status).toBe("done");
  expect(await statusOf(execute(0, "failed"))).toBe(409);
  expect(
    await statusOf(updateTaskExecution(world.actor, { ...attempt, task_id: world.product.id, status: "running" })),
  ).toBe(404);
});

it("A failed execution fails its task, the batch job, the sprint, and the run", async () => {
  const { world, run, job, attempt, execute, taskStatuses } = await heldBatch();
  await execute(0, "done", "ALIGNED");
  await execute(1, "failed");
  expect(await taskStatuses()).toEqual(["DONE", "FAILED", "TO_DO"]);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("FAILED");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
  const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(ended).toMatchObject({ status: "failed", failure: { task_code: "T-2" } });
  expect(ended.executions.map((e) => e.status)).toEqual(["done", "failed", "pending"]);
  await reportAgentJob(world.actor, { ...attempt, status: "failed" });
  expect((await execute(1, "failed")).status).toBe("failed");
});

it("A batch job that fails also fails its current task, its run, and its sprint", async () => {
  const { world, run, attempt, execute, taskStatuses } = await heldBatch();
  await execute(0, "done", "ALIGNED");
  await reportAgentJob(world.actor, { ...attempt, status: "failed" });
  expect(await taskStatuses()).toEqual(["DONE", "FAILED", "TO_DO"]);
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("FAILED");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
});

it("A batch job neither repeats nor fails a task that a person finished by hand", async () => {
  const { world, run, attempt, taskId, taskStatuses } = await heldBatch();
  await updateTask(world.actor, { task_id: taskId(0), status: "done" });
  const { executions } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(executions.map((e) => e.status)).toEqual(["done", "pending", "pending"]);
  await reportAgentJob(world.actor, { ...attempt, status: "failed" });
  expect(await taskStatuses()).toEqual(["DONE", "FAILED", "TO_DO"]);
});

it("A batch job that fails after its last task fails that task, so that its sprint can be resumed", async () => {
  const { world, attempt, execute, taskId, taskStatuses } = await heldBatch();
  for (const n of [0, 1, 2]) await execute(n, "done", "ALIGNED");
  await reportAgentJob(world.actor, { ...attempt, status: "failed" });
  expect(await taskStatuses()).toEqual(["DONE", "DONE", "FAILED"]);
  await resumeSprint(world.actor, { sprint_id: world.sprint.id });
  const { executions } = await claim(world.actor);
  expect(executions?.map((e) => [e.task_id, e.status])).toEqual([[taskId(2), "pending"]]);
});

it("Resuming a paused batch run with unfinished executions starts a new run on the old branch", async () => {
  const { world, run, job, execute, taskId } = await heldBatch();
  await execute(0, "done", "ALIGNED");
  await execute(1, "running");
  await pauseSprintRun(world.actor, { sprint_run_id: run.id, reason: "merge_conflict" });
  const next = await resumeSprintRun(world.actor, { sprint_run_id: run.id });
  const fresh = { status: "queued", previous_run_id: run.id, branch: run.branch, pr_strategy: "SPRINT_BATCH" };
  expect(next).toMatchObject(fresh);
  expect(next.id).not.toBe(run.id);
  const detail = await getSprintRun(world.actor, { sprint_run_id: next.id });
  expect(detail.jobs).toMatchObject([
    { kind: "SPRINT_IMPLEMENTATION", status: "queued", task_id: taskId(1), branch: run.branch },
  ]);
  expect(detail.executions.map((e) => [e.task_id, e.status])).toEqual([
    [taskId(1), "pending"],
    [taskId(2), "pending"],
  ]);
  const old = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(old).toMatchObject({ status: "cancelled", pause_context: null });
  expect(old.pause_question?.status).toBe("cancelled");
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CANCELLED");
  expect(await t.columnOf("tasks", taskId(1), "status")).toBe("IN_PROGRESS");
  expect((await claim(world.actor)).run?.previous_run_id).toBe(run.id);
});

it("Resuming a paused batch run with no unfinished execution continues the same run", async () => {
  const { world, run, execute } = await heldBatch();
  for (const n of [0, 1, 2]) await execute(n, "done", "ALIGNED");
  await pauseSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await resumeSprintRun(world.actor, { sprint_run_id: run.id })).toMatchObject({
    id: run.id,
    status: "running",
  });
});
