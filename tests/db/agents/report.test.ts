import { describe, expect, it } from "vitest";
import {
  cancelAgentJob,
  claimAgentJob,
  heartbeatAgentJob,
  reportAgentJob,
  updateTaskExecution,
  verifySprintTask,
  verifyTaskAgainstPlan,
} from "~/nouns/agent-jobs/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { deleteTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

it("A job goes from claimed to running to done, and its task, story, PBI, and run follow", async () => {
  const { world, run, report, task } = await t.holdJob();
  const running = await report({ status: "running" });
  expect(running).toMatchObject({ status: "running", finished_at: null });
  expect(running.started_at).not.toBeNull();
  const pushed = "2026-11-21T10:00:00.000Z";
  const end = { status: "done", verify_result: "ALIGNED", summary: "Did it" } as const;
  const work = { base_sha: "a".repeat(40), head_sha: "b".repeat(40), pr_url: "https://example.com/pull/1" };
  const done = await report({ ...end, ...work, pushed_at: pushed });
  expect(done).toMatchObject({ ...end, ...work, lease_until: null });
  expect(Date.parse(done.pushed_at ?? "")).toBe(Date.parse(pushed));
  expect(done.finished_at).not.toBeNull();
  expect(await t.columnOf("tasks", task.id, "status")).toBe("DONE");
  expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("DONE");
  expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("DONE");
  const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(ended).toMatchObject({ status: "done", counts: { done: 1 } });
  expect(ended.finished_at).not.toBeNull();
});

it("A claimed job that is reported done has a time at which it started", async () => {
  const { report } = await t.holdJob();
  const done = await report({ status: "done", verify_result: "ALIGNED" });
  expect(done.started_at).not.toBeNull();
});

it("A job reported done does not touch a task that is already done", async () => {
  const { report, task } = await t.holdJob();
  await t.query`update public.tasks set status = 'DONE' where id = ${task.id}`;
  const before = await t.columnOf("tasks", task.id, "updated_at");
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await t.columnOf("tasks", task.id, "updated_at")).toEqual(before);
});

it("A skipped job moves its task to review without any cascade, and its run still ends done", async () => {
  const { world, run, report, task } = await t.holdJob();
  const skipped = await report({ status: "skipped", verify_result: "EMPTY" });
  expect(skipped).toMatchObject({ status: "skipped", verify_result: "EMPTY" });
  expect(await t.columnOf("tasks", task.id, "status")).toBe("REVIEW");
  expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("IN_SPRINT");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
});

it("A job cannot be skipped with a result other than that the work was there", async () => {
  const { report } = await t.holdJob();
  expect(await statusOf(report({ status: "skipped", verify_result: "ALIGNED" }))).toBe(422);
});

it("J6: A job takes its first final state, and the same report again as the same", async () => {
  const { report, job } = await t.holdJob();
  const finished = await report({ status: "done", verify_result: "ALIGNED", summary: "one" });
  expect(await report({ status: "done", verify_result: "ALIGNED", summary: "two" })).toEqual(finished);
  expect(await statusOf(report({ status: "failed" }))).toBe(409);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("DONE");
});

it("A job hears only the user whose worker holds it", async () => {
  const { world, job } = await t.holdJob();
  const member = await t.createMember(world.product.id);
  const other = t.actorOf(member);
  expect(await statusOf(reportAgentJob(other, { job_id: job.id, attempt: 1, status: "failed" }))).toBe(409);
  expect((await heartbeatAgentJob(other, { job_id: job.id, attempt: 1 })).action).toBe("stop");
  const stranger = t.actorOf(await t.createUser());
  expect(await statusOf(reportAgentJob(stranger, { job_id: job.id, attempt: 1, status: "failed" }))).toBe(403);
  const unknown = { job_id: world.product.id, attempt: 1, status: "failed" } as const;
  expect(await statusOf(reportAgentJob(world.actor, unknown))).toBe(404);
  expect(await statusOf(claimAgentJob(t.actorOf(await t.createUser({ demo: true })), { worker: "w" }))).toBe(403);
});

const batch = { strategy: "SPRINT_BATCH", stories: [2] } as const;

it("A report cannot move the branch of its job or where its work began", async () => {
  const { run, report } = await t.holdJob();
  await report({ status: "running", branch: "main", base_sha: "a" });
  const moved = await report({ status: "running", branch: "main", base_sha: "b" });
  expect(moved).toMatchObject({ branch: run.branch, base_sha: "a" });
});

it("A job cannot be skipped without a verification that found the work there", async () => {
  const { job, report } = await t.holdJob();
  expect(await statusOf(report({ status: "skipped" }))).toBe(422);
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
  expect(await report({ status: "skipped", verify_result: "EMPTY" })).toMatchObject({ status: "skipped" });
});

it("A batch is skipped only when each of its tasks was verified as present", async () => {
  const { world, attempt, report } = await t.holdJob({ ...batch, stories: [2] });
  const [first, second] = world.tasks;
  const verify = (task_id: string) => verifySprintTask(world.actor, { ...attempt, task_id, verify_result: "EMPTY" });
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

it("A task of a batch cannot be skipped or done without a verdict of the current attempt", async () => {
  const { world, attempt } = await t.holdJob({ ...batch, stories: [2] });
  const task_id = at(world.tasks, 0).id;
  const skip = { ...attempt, task_id, status: "skipped" } as const;
  expect(await statusOf(updateTaskExecution(world.actor, skip))).toBe(422);
  await verifySprintTask(world.actor, { ...attempt, task_id, verify_result: "ALIGNED" });
  await reportAgentJob(world.actor, { ...attempt, status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  const again = await claim(world.actor);
  expect(again).toMatchObject({ attempt: 2, executions: [{ verify_result: null }, {}] });
  const done = { job_id: again.id, attempt: 2, task_id, status: "done" } as const;
  expect(await statusOf(updateTaskExecution(world.actor, done))).toBe(422);
});

it("A batch keeps its job, its tokens, and its other tasks when the task at work is deleted", async () => {
  const { world, run, job, report } = await t.holdJob({ ...batch, stories: [2] });
  await report({ status: "running", input_tokens: 7 });
  await deleteTask(world.actor, { task_id: at(world.tasks, 0).id });
  const { jobs, executions, status } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(status).toBe("running");
  expect(jobs).toMatchObject([{ id: job.id, task_id: at(world.tasks, 1).id, status: "running", input_tokens: 7 }]);
  expect(executions).toMatchObject([{ task_id: at(world.tasks, 1).id, status: "pending" }]);
});

it("A batch is done when the last of its tasks is deleted, and no longer knows that task", async () => {
  const { world, run, attempt } = await t.holdJob({ ...batch, stories: [2] });
  await deleteTask(world.actor, { task_id: at(world.tasks, 0).id });
  const move = { ...attempt, task_id: at(world.tasks, 1).id, status: "running" } as const;
  await deleteTask(world.actor, { task_id: at(world.tasks, 1).id });
  expect(await statusOf(updateTaskExecution(world.actor, move))).toBe(404);
  expect(await getSprintRun(world.actor, { sprint_run_id: run.id })).toMatchObject({ status: "done", jobs: [] });
});

it("A batch run whose only job is cancelled is cancelled, not done", async () => {
  const world = await t.seedSprint({ ...batch, stories: [2] });
  const run = await world.start();
  const [job] = (await getSprintRun(world.actor, { sprint_run_id: run.id })).jobs;
  await cancelAgentJob(world.actor, { job_id: job?.id ?? "" });
  expect(await getSprintRun(world.actor, { sprint_run_id: run.id })).toMatchObject({
    status: "cancelled",
    executions: [{ status: "pending" }, { status: "pending" }],
  });
});

it("A batch takes failure class and tokens from the report after one of its tasks failed", async () => {
  const { world, run, attempt, report } = await t.holdJob({ ...batch, stories: [2] });
  const failed = { ...attempt, task_id: at(world.tasks, 0).id, status: "failed" } as const;
  await updateTaskExecution(world.actor, { ...failed, failure_reason: "Two tests are red" });
  await report({ status: "failed", failure_class: "verification_failed", input_tokens: 9 });
  const end = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(end).toMatchObject({ status: "failed", input_tokens: 9 });
  expect(end.jobs).toMatchObject([{ failure_class: "verification_failed" }]);
  expect(end.executions[0]).toMatchObject({ failure_reason: "Two tests are red" });
});

it("A claim in a new run says why the last one failed and which jobs had the task before", async () => {
  const { world, job, report } = await t.holdJob();
  const failure_reason = "AssertionError: 1 is not 2";
  await report({ status: "failed", failure_class: "verification_failed", failure_reason });
  await t.query`update tasks set status = 'TO_DO' where id = ${at(world.tasks, 0).id}`;
  await t.query`update sprints set status = 'ACTIVE' where id = ${world.sprint.id}`;
  await world.start();
  expect(await claim(world.actor)).toMatchObject({ previous_failure: failure_reason, earlier_jobs: [job.id] });
});

describe("the verification gate", () => {
  const cases = [
    ["ALIGNED", "ALIGNED", "done"],
    ["ALIGNED", "PARTIAL", 422],
    ["ALIGNED", "DIVERGENT", 422],
    ["ALIGNED", undefined, 422],
    ["ALIGNED_OR_PARTIAL", "ALIGNED", "done"],
    ["ALIGNED_OR_PARTIAL", "PARTIAL", "done"],
    ["ALIGNED_OR_PARTIAL", "DIVERGENT", 422],
    ["ALIGNED_OR_PARTIAL", undefined, 422],
    ["ANY", "ALIGNED", "done"],
    ["ANY", "PARTIAL", "done"],
    ["ANY", "DIVERGENT", "done"],
    ["ANY", undefined, "done"],
    ["ALIGNED", "EMPTY", "skipped"],
    ["ANY", "EMPTY", "skipped"],
  ] as const;

  it.each(cases)("A job that requires %s, reported done with %s, gets: %s", async (required, result, outcome) => {
    const { report, task, job } = await t.holdJob({ stories: [1], task: { p_verify_required: required } });
    const attempt = report({ status: "done", verify_result: result });
    if (outcome === 422) {
      const refusal = await refusalOf(attempt);
      expect(refusal.status).toBe(422);
      expect(refusal.message).toContain("Not done yet");
      expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
      expect(await t.columnOf("tasks", task.id, "status")).toBe("IN_PROGRESS");
    } else {
      expect((await attempt).status).toBe(outcome);
    }
  });

  it("A task that only verifies is done with an empty diff", async () => {
    const { report } = await t.holdJob({ stories: [1], task: { p_verify_only: true } });
    expect((await report({ status: "done", verify_result: "EMPTY" })).status).toBe("done");
  });

  it("A job reported done takes the last verdict of verify_task_against_plan", async () => {
    const { world, job, report } = await t.holdJob();
    const of = (rest: object) => verifyTaskAgainstPlan(world.actor, { job_id: job.id, attempt: 1, ...rest });
    expect(await of({ changed_files: [] })).toMatchObject({ verify_result: "EMPTY", passes: true, report: "skipped" });
    const off = await of({ changed_files: ["README.md"] });
    expect(off).toMatchObject({ verify_result: "DIVERGENT", passes: false, report: null });
    const aligned = { verify_result: "ALIGNED", passes: true, report: "done", plan: "Change src/part-1-1.ts" };
    expect(await of({ changed_files: ["src/part-1-1.ts", "test/x.ts"] })).toMatchObject(aligned);
    await t.query`update agent_jobs set plan_snapshot = ${"Change „doc/größe.md“ and src/日本.ts"} where id = ${job.id}`;
    const named = { changed_files: ["doc/größe.md", "src/日本.ts"] };
    expect(await of(named)).toMatchObject({ verify_result: "ALIGNED" });
    const partial = await of({ verify_result: "PARTIAL", evidence: { tests: "passed" } });
    expect(partial.verify_result).toBe("PARTIAL");
    expect(await statusOf(of({}))).toBe(422);
    const done = await report({ status: "done" });
    expect(done).toMatchObject({ verify_result: "PARTIAL", evidence: { tests: "passed" } });
  });
});
