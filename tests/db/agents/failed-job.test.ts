import { describe, expect, it } from "vitest";
import { heartbeatAgentJob } from "~/nouns/agent-jobs/operations.server";
import { cancelSprintRun, getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

describe("a failed job", () => {
  it("fails task, story, PBI, sprint and run, and cancels the unfinished jobs of the run, at once", async () => {
    const { world, run, report, task } = await t.holdJob({ stories: [2, 1] });
    await report({ status: "failed", failure_class: "agent_error", failure_reason: "No idea" });
    expect(await t.taskStatuses(world)).toEqual(["FAILED", "TO_DO", "TO_DO"]);
    expect(
      await t.statusesOf(
        "stories",
        world.stories.map(({ id }) => id),
      ),
    ).toEqual(["FAILED", "IN_SPRINT"]);
    expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("FAILED");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
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

  it("does all of it in the transaction that reported the failure", async () => {
    const { world, report } = await t.holdJob({ stories: [2, 1] });
    await report({ status: "failed" });
    const { rows } = await t.sql.query(
      `select table_name, count(distinct writer)::int as writers, min(writer) as writer from (
         select 'tasks' as table_name, xmin::text as writer from public.tasks where product_id = $1 and status = 'FAILED'
         union all select 'stories', xmin::text from public.stories where product_id = $1 and status = 'FAILED'
         union all select 'pbis', xmin::text from public.pbis where product_id = $1
         union all select 'sprints', xmin::text from public.sprints where product_id = $1
         union all select 'sprint_runs', xmin::text from public.sprint_runs where product_id = $1
         union all select 'agent_jobs', xmin::text from public.agent_jobs where product_id = $1) x
       group by table_name`,
      [world.product.id],
    );
    expect(rows).toHaveLength(6);
    expect(rows.map(({ writers }) => writers)).toEqual(Array(6).fill(1));
    expect(new Set(rows.map(({ writer }) => writer)).size).toBe(1);
  });

  it("never overwrites a blocked PBI", async () => {
    const { world, report } = await t.holdJob();
    await t.query`update public.pbis set status = 'BLOCKED' where id = ${world.pbi.id}`;
    await report({ status: "failed" });
    expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("BLOCKED");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
  });

  it("cascades as well when someone fails the task itself", async () => {
    const { world, run, job } = await t.holdJob({ stories: [2] });
    await t.query`update public.tasks set status = 'FAILED' where id = ${at(world.tasks, 1).id}`;
    const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
    expect(ended.status).toBe("failed");
    expect(ended.jobs.map(({ status }) => status)).toEqual(["cancelled", "failed"]);
    expect(await heartbeatAgentJob(world.actor, { job_id: job.id, attempt: 1 })).toMatchObject({
      action: "stop",
      reason: { code: "cancelled" },
    });
  });

  it("leaves sprint and runs alone when the task belongs to no unfinished run", async () => {
    const { world, run } = await t.holdJob();
    await cancelSprintRun(world.actor, { sprint_run_id: run.id });
    await t.query`update public.tasks set status = 'FAILED' where product_id = ${world.product.id}`;
    expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("FAILED");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
    expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("CANCELLED");
  });

  it("returns to the queue until the rate limit ends when it was rate_limited, no retry counted", async () => {
    const { world, job, report } = await t.holdJob();
    const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
    const rest = { status: "failed", failure_class: "rate_limited", resets_at: resetsAt } as const;
    const waiting = await report(rest);
    expect(waiting).toMatchObject({ status: "queued", retry_count: 0, finished_at: null });
    expect(Date.parse(waiting.not_before ?? "")).toBe(Date.parse(resetsAt));
    expect((await report(rest)).status).toBe("queued");
    expect(await statusOf(report({ status: "done", verify_result: "ALIGNED" }))).toBe(409);
    expect(await claimRefusal(world.actor)).toBe("not_before");
    await t.query`update public.agent_jobs set not_before = now() where id = ${job.id}`;
    expect(await claim(world.actor)).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
    expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
  });
});
