import { describe, expect, it } from "vitest";
import {
  claimAgentJob,
  heartbeatAgentJob,
  reportAgentJob,
  reportJobUsage,
} from "~/nouns/agent-jobs/operations.server";
import { cancelSprintRun, getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

describe("statuses of a job", () => {
  it("goes CLAIMED, RUNNING, DONE; the task is done, story, PBI and run follow", async () => {
    const { world, run, report, task } = await t.holdJob();
    const running = await report({ status: "running" });
    expect(running).toMatchObject({ status: "running", finished_at: null });
    expect(running.started_at).not.toBeNull();
    const pushed = "2026-11-21T10:00:00.000Z";
    const done = await report({
      status: "done",
      verify_result: "ALIGNED",
      summary: "Did it",
      base_sha: "a".repeat(40),
      head_sha: "b".repeat(40),
      pushed_at: pushed,
      pr_url: "https://example.com/pull/1",
    });
    expect(done).toMatchObject({
      status: "done",
      verify_result: "ALIGNED",
      lease_until: null,
      summary: "Did it",
      base_sha: "a".repeat(40),
      head_sha: "b".repeat(40),
      pr_url: "https://example.com/pull/1",
    });
    expect(Date.parse(done.pushed_at ?? "")).toBe(Date.parse(pushed));
    expect(done.finished_at).not.toBeNull();
    expect(await t.columnOf("tasks", task.id, "status")).toBe("DONE");
    expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("DONE");
    expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("DONE");
    const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(ended).toMatchObject({ status: "done", counts: { done: 1 } });
    expect(ended.finished_at).not.toBeNull();
  });

  it("takes a final report while still CLAIMED as through RUNNING", async () => {
    const { report } = await t.holdJob();
    const done = await report({ status: "done", verify_result: "ALIGNED" });
    expect(done.started_at).not.toBeNull();
  });

  it("does not touch a task that is already done", async () => {
    const { report, task } = await t.holdJob();
    await t.query`update public.tasks set status = 'DONE' where id = ${task.id}`;
    const before = await t.columnOf("tasks", task.id, "updated_at");
    await report({ status: "done", verify_result: "ALIGNED" });
    expect(await t.columnOf("tasks", task.id, "updated_at")).toEqual(before);
  });

  it("moves the task to review when the job is SKIPPED, without any cascade; the run still ends DONE", async () => {
    const { world, run, report, task } = await t.holdJob();
    const skipped = await report({ status: "skipped", verify_result: "EMPTY" });
    expect(skipped).toMatchObject({ status: "skipped", verify_result: "EMPTY" });
    expect(await t.columnOf("tasks", task.id, "status")).toBe("REVIEW");
    expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("IN_SPRINT");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
    expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
  });

  it("refuses SKIPPED with a result that says otherwise", async () => {
    const { report } = await t.holdJob();
    expect(await statusOf(report({ status: "skipped", verify_result: "ALIGNED" }))).toBe(422);
  });
});

describe("attempts", () => {
  it("J6: takes the first final state, and the same report again as the same", async () => {
    const { report, job } = await t.holdJob();
    const finished = await report({ status: "done", verify_result: "ALIGNED", summary: "one" });
    expect(await report({ status: "done", verify_result: "ALIGNED", summary: "two" })).toEqual(
      finished,
    );
    expect(await statusOf(report({ status: "failed" }))).toBe(409);
    expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("DONE");
  });

  it("J6: refuses DONE after CANCELLED and says so", async () => {
    const { world, run, report, task } = await t.holdJob();
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    const refusal = await refusalOf(report({ status: "done", verify_result: "ALIGNED" }));
    expect(refusal.status).toBe(409);
    expect(refusal.message).toContain("cancelled");
    expect(await t.columnOf("tasks", task.id, "status")).toBe("IN_PROGRESS");
  });

  it("hears only the user whose worker holds the job", async () => {
    const { world, job } = await t.holdJob();
    const member = await t.createMember(world.product.id);
    const other = t.actorOf(member);
    expect(
      await statusOf(reportAgentJob(other, { job_id: job.id, attempt: 1, status: "failed" })),
    ).toBe(409);
    expect((await heartbeatAgentJob(other, { job_id: job.id, attempt: 1 })).action).toBe("stop");
    const stranger = t.actorOf(await t.createUser());
    expect(
      await statusOf(reportAgentJob(stranger, { job_id: job.id, attempt: 1, status: "failed" })),
    ).toBe(403);
    expect(
      await statusOf(
        reportAgentJob(world.actor, { job_id: world.product.id, attempt: 1, status: "failed" }),
      ),
    ).toBe(404);
    expect(
      await statusOf(claimAgentJob(t.actorOf(await t.createUser({ demo: true })), { worker: "w" })),
    ).toBe(403);
  });
});

describe("usage", () => {
  it("counts totals of an attempt once, and attempts on top of each other", async () => {
    const { world, job, report } = await t.holdJob();
    const usage = {
      job_id: job.id,
      attempt: 1,
      model_id: "m-1",
      input_tokens: 100,
      output_tokens: 10,
    };
    await reportJobUsage(world.actor, usage);
    expect(await reportJobUsage(world.actor, usage)).toMatchObject({
      input_tokens: 100,
      output_tokens: 10,
      cache_read_tokens: null,
      model_id: "m-1",
    });
    await report({
      status: "failed",
      failure_class: "rate_limited",
    });
    await t.query`update public.agent_jobs set not_before = null`;
    const again = await claim(world.actor);
    expect(again.attempt).toBe(2);
    expect(await statusOf(reportJobUsage(world.actor, usage))).toBe(409);
    const done = await reportAgentJob(world.actor, {
      job_id: job.id,
      attempt: 2,
      status: "done",
      verify_result: "ALIGNED",
      input_tokens: 5,
      cache_read_tokens: 7,
    });
    expect(done).toMatchObject({ input_tokens: 105, output_tokens: 10, cache_read_tokens: 7 });
  });
});
