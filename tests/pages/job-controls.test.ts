import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getSprintRun, startRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { getTaskDetail } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

async function openWorld() {
  const world = await t.seedSprint({ stories: [2] });
  return { ...world, visitor: await app.visitorOf(world.owner) };
}

it("the page of a job pauses, resumes and stops the run that it belongs to", async () => {
  const { actor, start, visitor } = await openWorld();
  const run = await start();
  const job = await claim(actor);
  const page = `/jobs/${job.id}`;
  const status = async () => (await getSprintRun(actor, { sprint_run_id: run.id })).status;
  await visitor.submit(page, "pause");
  expect(await status()).toBe("paused");
  await visitor.submit(page, "resume");
  expect(await status()).toBe("running");
  await visitor.submit(page, "cancel");
  expect(await status()).toBe("cancelled");
});

it("a failure is its first line with the cure, and is tried again from the job, without a sprint too", async () => {
  const { actor, product, sprint, tasks, visitor } = await openWorld();
  const task_ids = tasks.map(({ id }) => id);
  for (const ofSprint of [false, true]) {
    const run = ofSprint
      ? await startSprintRun(actor, { sprint_id: sprint.id })
      : (await startRun(actor, { task_ids })).run;
    const job = await claim(actor);
    const failure_reason = "The tests fail.\nline 2 of a long output";
    const report = { status: "failed", failure_class: "agent_error", failure_reason } as const;
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, ...report });
    const page = await visitor.read(`/jobs/${job.id}`);
    expect(page).toMatch(/<p[^>]*>The agent failed: The tests fail\.<\/p>/);
    expect(page).toMatch(/<details>.*line 2 of a long output/s);
    expect(await visitor.read(`/products/${product.id}/runs/${run.id}`)).toContain(
      "1 failed, 1 waiting: try again or skip",
    );
    const next = await visitor.submit(`/jobs/${job.id}`, "try-again");
    const { jobs } = await getSprintRun(actor, { sprint_run_id: next?.split("/").at(-1) ?? "" });
    expect(jobs.map(({ status, task_id }) => [status, task_id])).toEqual([
      ["queued", at(tasks, 0).id],
      ["queued", at(tasks, 1).id],
    ]);
    await visitor.submit(`/products/${product.id}/runs/${jobs[0]?.sprint_run_id}`, "cancel");
  }
});

it("skips what failed and continues with the rest, in a sprint or not, from run, sprint and inbox", async () => {
  const { actor, product, sprint, tasks, visitor } = await openWorld();
  const task_ids = tasks.map(({ id }) => id);
  for (const ofSprint of [false, true]) {
    const run = ofSprint
      ? await startSprintRun(actor, { sprint_id: sprint.id })
      : (await startRun(actor, { task_ids })).run;
    const job = await claim(actor);
    const failed = { status: "failed", failure_reason: "No.\nAll of it" } as const;
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, ...failed });
    const sprintPage = `/products/${product.id}/sprints/${sprint.id}`;
    for (const path of ["/inbox", ...(ofSprint ? [sprintPage] : [])]) {
      const page = await visitor.read(path);
      expect(page).toContain("1 failed, 1 waiting: try again or skip");
      expect(page).not.toContain("run failed");
    }
    expect(await visitor.read("/agents?state=all")).toMatch(/<summary[^>]*>No\.<\/summary>/);
    const next = await visitor.submit(ofSprint ? sprintPage : "/inbox", "skip");
    const { jobs } = await getSprintRun(actor, { sprint_run_id: next?.split("/").at(-1) ?? "" });
    expect(jobs.map(({ task_id }) => task_id)).toEqual([at(tasks, 1).id]);
    const { status } = await getTaskDetail(actor, { task_id: at(tasks, 0).id });
    expect(status).toBe("todo");
    expect(run.id).not.toBe(jobs[0]?.sprint_run_id);
    await visitor.submit(`/products/${product.id}/runs/${jobs[0]?.sprint_run_id}`, "cancel");
    if (!ofSprint) expect(await visitor.read(`/jobs/${job.id}`)).toContain("Run it again");
  }
});
