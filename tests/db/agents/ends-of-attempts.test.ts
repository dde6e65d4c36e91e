import { expect, it } from "vitest";
import { getAgentJob, reportAgentJob, updateTaskExecution } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { restartWorker } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create, type SprintOptions } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function openRun(done_requires: "other_worker" | "person", options: SprintOptions) {
  const world = await t.seedSprint(options);
  await updateProduct(world.actor, { product_id: world.product.id, done_requires });
  const run = await world.start();
  return { world, readRun: () => getSprintRun(world.actor, { sprint_run_id: run.id }) };
}

it("A verifier may report its failure twice, and it counts as a failed look, not as a lost attempt", async () => {
  const { world } = await openRun("other_worker", { stories: [1] });
  const author = await claim(world.actor, "author");
  const ended = { status: "done", verify_result: "ALIGNED", head_sha: "aaa" } as const;
  await reportAgentJob(world.actor, { job_id: author.id, attempt: 1, ...ended });
  const verifier = await claim(world.actor, "verifier");
  expect(verifier.phase).toBe("verify");
  const failed = { job_id: verifier.id, attempt: 2, status: "failed" } as const;
  for (const _time of ["first", "again"]) {
    const told = await reportAgentJob(world.actor, { ...failed, failure_class: "agent_error" });
    expect(told).toMatchObject({ status: "queued", phase: "verify", retry_count: 1 });
  }
  const other = { ...failed, status: "done" } as const;
  expect(await statusOf(reportAgentJob(world.actor, other))).toBe(409);
  const { attempts } = await getAgentJob(world.actor, { job_id: author.id });
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["done", "failed_look"]);
});

it("An attempt that was given back does not wait for a question that an earlier one asked", async () => {
  const { world, job, attempt } = await t.holdJob();
  const asked = await askQuestion(world.actor, {
    ...attempt,
    task_id: job.task_id ?? "",
    question: "Which way?",
    options: ["Left", "Right"],
    park: true,
  });
  await answerQuestion(world.actor, { question_id: asked.id, option: 0 });
  const again = await claim(world.actor);
  expect(again.questions).toMatchObject([{ id: asked.id, status: "answered" }]);
  await restartWorker(world.actor, { worker: "worker-1", stopped: true });
  const { attempts } = await getAgentJob(world.actor, { job_id: job.id });
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["question", "returned"]);
});

it("A batch may be given back twice with the same answer, and returns when its blocker is done", async () => {
  const { world, attempt, report } = await t.holdJob({ strategy: "SPRINT_BATCH", stories: [2] });
  const { product, tasks, pbi } = world;
  const story = await create(world.actor, "create_story", { p_pbi_id: pbi.id, p_title: "Before" });
  const before = await create(world.actor, "create_task", { p_story_id: story.id, p_title: "1" });
  for (const { id } of tasks) {
    await addDependency(world.actor, { kind: "task", id, blocked_by: before.id });
  }
  const first = { ...attempt, task_id: at(tasks, 0).id, status: "running" } as const;
  expect(await statusOf(updateTaskExecution(world.actor, first))).toBe(409);
  for (const _time of ["first", "again"]) {
    expect(await report({ status: "queued" })).toMatchObject({ status: "queued", retry_count: 0, open_blockers: 2 });
  }
  expect(await statusOf(report({ status: "done" }))).toBe(409);
  await t.query`update public.tasks set status = 'DONE' where id = ${before.id}`;
  expect(await claim(world.actor)).toMatchObject({ attempt: 2, product: { id: product.id } });
});

it("A job of a single task cannot be given back; only a batch can", async () => {
  const { report } = await t.holdJob();
  expect(await statusOf(report({ status: "queued" }))).toBe(422);
});

it("a batch lets all tasks go that it held, when the product asks for no proof by then", async () => {
  const { world, readRun } = await openRun("person", { strategy: "SPRINT_BATCH", stories: [1, 1] });
  const job = await claim(world.actor);
  const attempt = { job_id: job.id, attempt: 1 };
  for (const { id: task_id } of world.tasks) {
    const done = { ...attempt, task_id, status: "done", verify_result: "ALIGNED" } as const;
    await updateTaskExecution(world.actor, done);
  }
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["REVIEW", "REVIEW"]);
  await updateProduct(world.actor, { product_id: world.product.id, done_requires: "none" });
  await reportAgentJob(world.actor, { ...attempt, status: "done", verify_result: "ALIGNED" });
  expect((await readRun()).status).toBe("done");
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["DONE", "DONE"]);
});
