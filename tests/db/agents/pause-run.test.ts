import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { answerQuestion, getQuestion } from "~/nouns/questions/operations.server";
import {
  cancelSprintRun,
  getSprintRun,
  pauseSprintRun,
  resumeSprint,
  resumeSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, create } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();
const done = { status: "done", verify_result: "ALIGNED" } as const;

async function startedRun() {
  const world = await t.seedSprint({ stories: [2, 1] });
  const run = await world.start();
  return { world, run, id: { sprint_run_id: run.id } };
}

it("A run that a person pauses keeps the reason and opens a question on its first unfinished story", async () => {
  const { world, run, id } = await startedRun();
  const paused = await pauseSprintRun(world.actor, { ...id, reason: "Release day" });
  expect(paused).toMatchObject({
    status: "paused",
    pause_context: { reason: "Release day", pr_url: null, conflict_files: [] },
  });
  const question = await getQuestion(world.actor, { question_id: paused.pause_question_id ?? "" });
  const story_id = at(world.stories, 0).id;
  expect(question).toMatchObject({ status: "open", story_id, idea_id: null, sprint_run_id: run.id });
  expect(question.question).toContain("Release day");
  expect(await claimRefusal(world.actor)).toBe("paused");
  expect(await statusOf(pauseSprintRun(world.actor, id))).toBe(409);
});

it("A run paused by a merge conflict keeps pull request and files, and the held claim continues", async () => {
  const { world, id } = await startedRun();
  const job = await claim(world.actor);
  const context = { pr_url: "https://example.com/pull/7", conflict_files: ["src/a.ts", "src/b.ts"] };
  const conflict = { ...id, job_id: job.id, attempt: 1, reason: "merge_conflict", ...context };
  expect(await statusOf(pauseSprintRun(world.actor, { ...conflict, attempt: 2 }))).toBe(409);
  const paused = await pauseSprintRun(world.actor, conflict);
  expect(paused.pause_context).toEqual({ reason: "merge_conflict", ...context });
  const { pause_question: question } = await getSprintRun(world.actor, id);
  expect(question).toMatchObject({ task_id: at(world.tasks, 0).id, job_id: job.id });
  expect(question?.question).toContain("src/a.ts");
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
  expect(await t.columnOf("sprint_runs", id.sprint_run_id, "status")).toBe("PAUSED");
});

it("A worker that pauses its run may give its job back to the queue without a retry", async () => {
  const { world, id } = await startedRun();
  const job = await claim(world.actor);
  await pauseSprintRun(world.actor, { ...id, job_id: job.id, attempt: 1, release: true });
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("QUEUED");
  expect((await resumeSprintRun(world.actor, id)).status).toBe("queued");
  expect(await claim(world.actor)).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
});

it("A run resumed while a claim is held is running, its question closed and its context cleared", async () => {
  const { world, id } = await startedRun();
  const job = await claim(world.actor);
  const paused = await pauseSprintRun(world.actor, id);
  const resumed = await resumeSprintRun(world.actor, id);
  expect(resumed).toMatchObject({ status: "running", pause_context: null, previous_run_id: null });
  expect(resumed.id).toBe(id.sprint_run_id);
  const question = await getQuestion(world.actor, { question_id: paused.pause_question_id ?? "" });
  expect(question.status).toBe("cancelled");
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
  await claim(world.actor);
});

it("A run resumed while no claim is held is queued, and an answered question stays answered", async () => {
  const { world, id } = await startedRun();
  const paused = await pauseSprintRun(world.actor, id);
  const question = { question_id: paused.pause_question_id ?? "" };
  await answerQuestion(world.actor, { ...question, answer: "Go on" });
  expect((await resumeSprintRun(world.actor, id)).status).toBe("queued");
  expect(await getQuestion(world.actor, question)).toMatchObject({ status: "answered", answer: "Go on" });
  await claim(world.actor);
  expect(await t.columnOf("sprint_runs", id.sprint_run_id, "status")).toBe("RUNNING");
});

it("A paused run whose last held claim finished is done when it is resumed", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const run = await world.start();
  const job = await claim(world.actor);
  await pauseSprintRun(world.actor, { sprint_run_id: run.id });
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
  expect((await resumeSprintRun(world.actor, { sprint_run_id: run.id })).status).toBe("done");
});

it("A cancelled run cancels its unfinished jobs and question, and leaves task, PBI, and sprint alone", async () => {
  const { world, id } = await startedRun();
  await claim(world.actor);
  const paused = await pauseSprintRun(world.actor, id);
  const cancelled = await cancelSprintRun(world.actor, id);
  expect(cancelled).toMatchObject({ status: "cancelled", pause_context: null, counts: { cancelled: 3 } });
  expect(cancelled.finished_at).not.toBeNull();
  expect((await getQuestion(world.actor, { question_id: paused.pause_question_id ?? "" })).status).toBe("cancelled");
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["IN_PROGRESS", "TO_DO", "TO_DO"]);
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
  expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("READY");
  expect(await statusOf(cancelSprintRun(world.actor, id))).toBe(409);
});

describe("resuming a failed sprint", () => {
  async function failedSprint() {
    const started = await startedRun();
    const { world } = started;
    const first = await claim(world.actor);
    await reportAgentJob(world.actor, { job_id: first.id, attempt: 1, ...done });
    const second = await claim(world.actor);
    await reportAgentJob(world.actor, { job_id: second.id, attempt: 1, status: "failed" });
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
    return started;
  }

  it("A failed sprint that is resumed resets all that failed and starts a new run on the same branch", async () => {
    const { world, run } = await failedSprint();
    const resumed = await resumeSprint(world.actor, { sprint_id: world.sprint.id });
    expect(resumed).toMatchObject({ status: "queued", previous_run_id: run.id, branch: run.branch, jobs_total: 2 });
    expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "TO_DO", "TO_DO"]);
    expect(await t.statusesOf("stories", world.stories)).toEqual(["IN_SPRINT", "IN_SPRINT"]);
    expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("READY");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
  });

  it("A failed sprint stays failed as a whole when the pre-flight of its resumption finds a blocker", async () => {
    const { world } = await failedSprint();
    await t.query`update public.tasks set implementation_plan = null where id = ${at(world.tasks, 2).id}`;
    const refusal = await refusalOf(resumeSprint(world.actor, { sprint_id: world.sprint.id }));
    expect(refusal.status).toBe(409);
    expect(refusal.detail).toMatchObject({ blockers: [{ type: "task_no_plan" }] });
    expect(await t.columnOf("tasks", at(world.tasks, 1).id, "status")).toBe("FAILED");
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
  });

  it("A sprint cannot be resumed if it has not failed or another one is active", async () => {
    const { world } = await failedSprint();
    const other = await create(world.actor, "create_sprint", { p_product_id: world.product.id });
    expect(await statusOf(resumeSprint(world.actor, { sprint_id: other.id }))).toBe(409);
    await create(world.actor, "start_sprint", { p_sprint_id: other.id });
    const refusal = await refusalOf(resumeSprint(world.actor, { sprint_id: world.sprint.id }));
    expect(refusal.status).toBe(409);
    expect(refusal.message).toContain(other.code);
  });
});
