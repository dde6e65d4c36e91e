import { describe, expect, it } from "vitest";
import {
  cancelAgentJob,
  reportAgentJob,
  updateTaskExecution,
  verifySprintTask,
} from "~/nouns/agent-jobs/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { deleteTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();
const batch = { strategy: "SPRINT_BATCH", stories: [2] } as const;

describe("what a report cannot move", () => {
  it("is the branch that the run gave the job, and where its work began", async () => {
    const { run, report } = await t.holdJob();
    await report({ status: "running", branch: "main", base_sha: "a" });
    const moved = await report({ status: "running", branch: "main", base_sha: "b" });
    expect(moved).toMatchObject({ branch: run.branch, base_sha: "a" });
  });

  it("is a job to skipped without a verification that found the work there", async () => {
    const { job, report } = await t.holdJob();
    expect(await statusOf(report({ status: "skipped" }))).toBe(422);
    expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
    expect(await report({ status: "skipped", verify_result: "EMPTY" })).toMatchObject({
      status: "skipped",
    });
  });
});

describe("a batch", () => {
  it("is skipped only when each of its tasks was verified as present", async () => {
    const { world, attempt, report } = await t.holdJob({ ...batch, stories: [2] });
    const [first, second] = world.tasks;
    const verify = (task_id: string) =>
      verifySprintTask(world.actor, { ...attempt, task_id, verify_result: "EMPTY" });
    await verify(first?.id ?? "");
    const refusal = await refusalOf(report({ status: "skipped", verify_result: "EMPTY" }));
    expect(refusal.status).toBe(422);
    expect(refusal.message).toContain(`first: ${second?.code}`);
    await verify(second?.id ?? "");
    await report({ status: "skipped", verify_result: "EMPTY" });
    const { executions } = await getSprintRun(world.actor, {
      sprint_run_id: String(await t.columnOf("agent_jobs", attempt.job_id, "sprint_run_id")),
    });
    expect(executions.map(({ status }) => status)).toEqual(["skipped", "skipped"]);
  });

  it("does not skip or finish a task on no verdict, or on that of an earlier attempt", async () => {
    const { world, attempt } = await t.holdJob({ ...batch, stories: [2] });
    const task_id = at(world.tasks, 0).id;
    const skip = { ...attempt, task_id, status: "skipped" } as const;
    expect(await statusOf(updateTaskExecution(world.actor, skip))).toBe(422);
    await verifySprintTask(world.actor, { ...attempt, task_id, verify_result: "ALIGNED" });
    await reportAgentJob(world.actor, {
      ...attempt,
      status: "failed",
      failure_class: "rate_limited",
    });
    await t.query`update public.agent_jobs set not_before = null`;
    const again = await claim(world.actor);
    expect(again).toMatchObject({ attempt: 2, executions: [{ verify_result: null }, {}] });
    const done = { job_id: again.id, attempt: 2, task_id, status: "done" } as const;
    expect(await statusOf(updateTaskExecution(world.actor, done))).toBe(422);
  });

  it("keeps its job, its tokens and its other tasks when the task that it names is deleted", async () => {
    const { world, run, job, report } = await t.holdJob({ ...batch, stories: [2] });
    await report({ status: "running", input_tokens: 7 });
    await deleteTask(world.actor, { task_id: at(world.tasks, 0).id });
    const { jobs, executions, status } = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(status).toBe("running");
    expect(jobs).toMatchObject([
      { id: job.id, task_id: at(world.tasks, 1).id, status: "running", input_tokens: 7 },
    ]);
    expect(executions).toMatchObject([{ task_id: at(world.tasks, 1).id, status: "pending" }]);
  });

  it("is done when the last of its tasks is deleted, and names what it does not know", async () => {
    const { world, run, attempt } = await t.holdJob({ ...batch, stories: [2] });
    await deleteTask(world.actor, { task_id: at(world.tasks, 0).id });
    const move = { ...attempt, task_id: at(world.tasks, 1).id, status: "running" } as const;
    await deleteTask(world.actor, { task_id: at(world.tasks, 1).id });
    expect(await statusOf(updateTaskExecution(world.actor, move))).toBe(404);
    expect(await getSprintRun(world.actor, { sprint_run_id: run.id })).toMatchObject({
      status: "done",
      jobs: [],
    });
  });

  it("is cancelled, not done, when its only job is cancelled", async () => {
    const world = await t.seedSprint({ ...batch, stories: [2] });
    const run = await world.start();
    const [job] = (await getSprintRun(world.actor, { sprint_run_id: run.id })).jobs;
    await cancelAgentJob(world.actor, { job_id: job?.id ?? "" });
    expect(await getSprintRun(world.actor, { sprint_run_id: run.id })).toMatchObject({
      status: "cancelled",
      executions: [{ status: "pending" }, { status: "pending" }],
    });
  });

  it("takes class and tokens from the report after a task of it failed", async () => {
    const { world, run, attempt, report } = await t.holdJob({ ...batch, stories: [2] });
    const failed = { ...attempt, task_id: at(world.tasks, 0).id, status: "failed" } as const;
    await updateTaskExecution(world.actor, { ...failed, failure_reason: "Two tests are red" });
    await report({ status: "failed", failure_class: "verification_failed", input_tokens: 9 });
    const end = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(end).toMatchObject({ status: "failed", input_tokens: 9 });
    expect(end.jobs).toMatchObject([{ failure_class: "verification_failed" }]);
    expect(end.executions[0]).toMatchObject({ failure_reason: "Two tests are red" });
  });
});

describe("the work of a new run", () => {
  it("hears why the last one failed, and which jobs had it before", async () => {
    const { world, job, report } = await t.holdJob();
    const failure_reason = "AssertionError: 1 is not 2";
    await report({ status: "failed", failure_class: "verification_failed", failure_reason });
    await t.query`update tasks set status = 'TO_DO' where id = ${at(world.tasks, 0).id}`;
    await t.query`update sprints set status = 'ACTIVE' where id = ${world.sprint.id}`;
    await world.start();
    expect(await claim(world.actor)).toMatchObject({
      previous_failure: failure_reason,
      earlier_jobs: [job.id],
    });
  });
});
