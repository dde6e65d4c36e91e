import { describe, expect, it } from "vitest";
import type { AgentJob, ReportAgentJobInput } from "~/contract/agent-job";
import { claimAgentJob } from "~/domain/agent-jobs/claim-agent-job.server";
import { heartbeatAgentJob } from "~/domain/agent-jobs/heartbeat-agent-job.server";
import { reportAgentJob } from "~/domain/agent-jobs/report-agent-job.server";
import { reportJobUsage } from "~/domain/agent-jobs/report-job-usage.server";
import { verifyTaskAgainstPlan } from "~/domain/agent-jobs/verify-task-against-plan.server";
import { cancelSprintRun } from "~/domain/sprint-runs/cancel-sprint-run.server";
import { getSprintRun } from "~/domain/sprint-runs/get-sprint-run.server";
import { startSprintRun } from "~/domain/sprint-runs/start-sprint-run.server";
import { createTestDatabase } from "../../setup/database";
import { createUser } from "../../setup/users";
import { refusalOf, statusOf } from "../refusal";
import { at } from "../world";
import {
  claim,
  claimRefusal,
  columnOf,
  type SprintOptions,
  seedSprint,
  statusesOf,
} from "./sprint-world";

const t = await createTestDatabase();

async function heldJob(options: SprintOptions = { stories: [1] }) {
  const world = await seedSprint(t, options);
  const run = await startSprintRun(world.actor, { sprint_id: world.sprint.id });
  const job = await claim(world.actor);
  const report = (rest: Omit<ReportAgentJobInput, "job_id" | "attempt">): Promise<AgentJob> =>
    reportAgentJob(world.actor, { job_id: job.id, attempt: job.attempt, ...rest });
  return { world, run, job, report, task: at(world.tasks, 0) };
}

describe("statuses of a job", () => {
  it("goes CLAIMED, RUNNING, DONE; the task is done, story, PBI and run follow", async () => {
    const { world, run, report, task } = await heldJob();
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
    expect(await columnOf(t, "tasks", task.id, "status")).toBe("DONE");
    expect(await columnOf(t, "stories", at(world.stories, 0).id, "status")).toBe("DONE");
    expect(await columnOf(t, "pbis", world.pbi.id, "status")).toBe("DONE");
    const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(ended).toMatchObject({ status: "done", counts: { done: 1 } });
    expect(ended.finished_at).not.toBeNull();
  });

  it("takes a final report while still CLAIMED as through RUNNING", async () => {
    const { report } = await heldJob();
    const done = await report({ status: "done", verify_result: "ALIGNED" });
    expect(done.started_at).not.toBeNull();
  });

  it("does not touch a task that is already done", async () => {
    const { report, task } = await heldJob();
    await t.sql.query("update public.tasks set status = 'DONE' where id = $1", [task.id]);
    const before = await columnOf(t, "tasks", task.id, "updated_at");
    await report({ status: "done", verify_result: "ALIGNED" });
    expect(await columnOf(t, "tasks", task.id, "updated_at")).toEqual(before);
  });

  it("moves the task to review when the job is SKIPPED, without any cascade; the run still ends DONE", async () => {
    const { world, run, report, task } = await heldJob();
    const skipped = await report({ status: "skipped", verify_result: "EMPTY" });
    expect(skipped).toMatchObject({ status: "skipped", verify_result: "EMPTY" });
    expect(await columnOf(t, "tasks", task.id, "status")).toBe("REVIEW");
    expect(await columnOf(t, "stories", at(world.stories, 0).id, "status")).toBe("IN_SPRINT");
    expect(await columnOf(t, "sprints", world.sprint.id, "status")).toBe("ACTIVE");
    expect(await columnOf(t, "sprint_runs", run.id, "status")).toBe("DONE");
  });

  it("refuses SKIPPED with a result that says otherwise", async () => {
    const { report } = await heldJob();
    expect(await statusOf(report({ status: "skipped", verify_result: "ALIGNED" }))).toBe(422);
  });
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

  it.each(cases)("%s with %s: %s", async (required, result, outcome) => {
    const { report, task, job } = await heldJob({
      stories: [1],
      task: { p_verify_required: required },
    });
    const attempt = report({ status: "done", verify_result: result });
    if (outcome === 422) {
      const refusal = await refusalOf(attempt);
      expect(refusal.status).toBe(422);
      expect(refusal.message).toContain("Not done yet");
      expect(await columnOf(t, "agent_jobs", job.id, "status")).toBe("CLAIMED");
      expect(await columnOf(t, "tasks", task.id, "status")).toBe("IN_PROGRESS");
    } else {
      expect((await attempt).status).toBe(outcome);
    }
  });

  it("lets an empty diff pass when the task only verifies", async () => {
    const { report } = await heldJob({ stories: [1], task: { p_verify_only: true } });
    expect((await report({ status: "done", verify_result: "EMPTY" })).status).toBe("done");
  });

  it("uses what verify_task_against_plan found", async () => {
    const { world, job, report } = await heldJob();
    const of = (rest: object) =>
      verifyTaskAgainstPlan(world.actor, { job_id: job.id, attempt: 1, ...rest });
    expect(await of({ changed_files: [] })).toMatchObject({
      verify_result: "EMPTY",
      passes: true,
      report: "skipped",
    });
    expect(await of({ changed_files: ["README.md"] })).toMatchObject({
      verify_result: "DIVERGENT",
      passes: false,
      report: null,
    });
    expect(await of({ changed_files: ["src/part-1-1.ts", "test/x.ts"] })).toMatchObject({
      verify_result: "ALIGNED",
      passes: true,
      report: "done",
      plan: "Change src/part-1-1.ts",
    });
    expect(await of({ verify_result: "PARTIAL", evidence: { tests: "passed" } })).toMatchObject({
      verify_result: "PARTIAL",
    });
    expect(await statusOf(of({}))).toBe(422);
    const done = await report({ status: "done" });
    expect(done).toMatchObject({ verify_result: "PARTIAL", evidence: { tests: "passed" } });
  });
});

describe("a failed job", () => {
  it("fails task, story, PBI, sprint and run, and cancels the unfinished jobs of the run, at once", async () => {
    const { world, run, report, task } = await heldJob({ stories: [2, 1] });
    await report({ status: "failed", failure_class: "agent_error", failure_reason: "No idea" });
    expect(
      await statusesOf(
        t,
        "tasks",
        world.tasks.map(({ id }) => id),
      ),
    ).toEqual(["FAILED", "TO_DO", "TO_DO"]);
    expect(
      await statusesOf(
        t,
        "stories",
        world.stories.map(({ id }) => id),
      ),
    ).toEqual(["FAILED", "IN_SPRINT"]);
    expect(await columnOf(t, "pbis", world.pbi.id, "status")).toBe("FAILED");
    expect(await columnOf(t, "sprints", world.sprint.id, "status")).toBe("FAILED");
    const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(ended).toMatchObject({
      status: "failed",
      failure: {
        task_id: task.id,
        task_code: "T-1",
        failure_class: "agent_error",
        reason: "No idea",
      },
      counts: { failed: 1, cancelled: 2 },
    });
    expect(ended.jobs.every((job) => job.finished_at !== null)).toBe(true);
    expect(ended.jobs[1]).toMatchObject({ failure_class: "cancelled" });
  });

  it("never overwrites a blocked PBI", async () => {
    const { world, report } = await heldJob();
    await t.sql.query("update public.pbis set status = 'BLOCKED' where id = $1", [world.pbi.id]);
    await report({ status: "failed" });
    expect(await columnOf(t, "pbis", world.pbi.id, "status")).toBe("BLOCKED");
    expect(await columnOf(t, "sprints", world.sprint.id, "status")).toBe("FAILED");
  });

  it("cascades as well when somebody fails the task itself", async () => {
    const { world, run, job } = await heldJob({ stories: [2] });
    await t.sql.query("update public.tasks set status = 'FAILED' where id = $1", [
      at(world.tasks, 1).id,
    ]);
    const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(ended.status).toBe("failed");
    expect(ended.jobs.map(({ status }) => status)).toEqual(["cancelled", "failed"]);
    expect(await heartbeatAgentJob(world.actor, { job_id: job.id, attempt: 1 })).toMatchObject({
      action: "stop",
      reason: { code: "cancelled" },
    });
  });

  it("leaves sprint and runs alone when the task belongs to no unfinished run", async () => {
    const { world, run } = await heldJob();
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    await t.sql.query("update public.tasks set status = 'FAILED' where product_id = $1", [
      world.product.id,
    ]);
    expect(await columnOf(t, "stories", at(world.stories, 0).id, "status")).toBe("FAILED");
    expect(await columnOf(t, "sprints", world.sprint.id, "status")).toBe("ACTIVE");
    expect(await columnOf(t, "sprint_runs", run.id, "status")).toBe("CANCELLED");
  });

  it("goes back to the queue until the rate limit ends when it was rate_limited, no retry counted", async () => {
    const { world, job, report } = await heldJob();
    const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
    const rest = { status: "failed", failure_class: "rate_limited", resets_at: resetsAt } as const;
    const waiting = await report(rest);
    expect(waiting).toMatchObject({ status: "queued", retry_count: 0, finished_at: null });
    expect(Date.parse(waiting.not_before ?? "")).toBe(Date.parse(resetsAt));
    expect((await report(rest)).status).toBe("queued");
    expect(await statusOf(report({ status: "done", verify_result: "ALIGNED" }))).toBe(409);
    expect(await claimRefusal(world.actor)).toBe("not_before");
    await t.sql.query("update public.agent_jobs set not_before = now() where id = $1", [job.id]);
    expect(await claim(world.actor)).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
    expect(await columnOf(t, "tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
  });
});

describe("attempts", () => {
  it("J6: takes the first final state, and the same report again as the same", async () => {
    const { report, job } = await heldJob();
    const finished = await report({ status: "done", verify_result: "ALIGNED", summary: "one" });
    expect(await report({ status: "done", verify_result: "ALIGNED", summary: "two" })).toEqual(
      finished,
    );
    expect(await statusOf(report({ status: "failed" }))).toBe(409);
    expect(await columnOf(t, "agent_jobs", job.id, "status")).toBe("DONE");
  });

  it("J6: refuses DONE after CANCELLED and says so", async () => {
    const { world, run, report, task } = await heldJob();
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    const refusal = await refusalOf(report({ status: "done", verify_result: "ALIGNED" }));
    expect(refusal.status).toBe(409);
    expect(refusal.message).toContain("cancelled");
    expect(await columnOf(t, "tasks", task.id, "status")).toBe("IN_PROGRESS");
  });

  it("hears only the user whose worker holds the job", async () => {
    const { world, job } = await heldJob();
    const member = await createUser(t);
    await t.sql.query("insert into public.product_members (product_id, user_id) values ($1, $2)", [
      world.product.id,
      member.id,
    ]);
    const other = t.actorOf(member);
    expect(
      await statusOf(reportAgentJob(other, { job_id: job.id, attempt: 1, status: "failed" })),
    ).toBe(409);
    expect((await heartbeatAgentJob(other, { job_id: job.id, attempt: 1 })).action).toBe("stop");
    const stranger = t.actorOf(await createUser(t));
    expect(
      await statusOf(reportAgentJob(stranger, { job_id: job.id, attempt: 1, status: "failed" })),
    ).toBe(403);
    expect(
      await statusOf(
        reportAgentJob(world.actor, { job_id: world.product.id, attempt: 1, status: "failed" }),
      ),
    ).toBe(404);
    expect(
      await statusOf(
        claimAgentJob(t.actorOf(await createUser(t, { demo: true })), { worker: "w" }),
      ),
    ).toBe(403);
  });
});

describe("usage", () => {
  it("counts totals of an attempt once, and attempts on top of each other", async () => {
    const { world, job, report } = await heldJob();
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
      resets_at: "2020-01-01T00:00:00Z",
    });
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
