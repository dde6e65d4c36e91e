import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import {
  claimAgentJob,
  getAgentJob,
  reportAgentJob,
  updateTaskExecution,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { getProof, waiveCriterion } from "~/nouns/proof/operations.server";
import { listQuestions } from "~/nouns/questions/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import type { doneRequirements } from "~/wire/products/contract";
import type { ReportedEvidence } from "~/wire/proof/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, type SprintOptions } from "../../setup/world";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

/** A run of a product that asks for proof, and the words of its workers. */
async function openRun(required: (typeof doneRequirements)[number], options: SprintOptions = {}) {
  const world = await t.seedSprint({ stories: [1], ...options });
  await updateProduct(world.actor, {
    product_id: world.product.id,
    done_requires: required,
    definition_of_done: "- Tests pass",
  });
  const run = await world.start();
  const story = at(world.stories, 0);
  const proof = () => getProof(world.actor, { story_id: story.id });
  const take = async (worker: string) => {
    const job = await claim(world.actor, worker);
    const attempt = { job_id: job.id, attempt: job.attempt };
    const report = (rest: object) =>
      reportAgentJob(world.actor, { ...attempt, status: "done", verify_result: "ALIGNED", ...rest });
    return { job, attempt, report };
  };
  return { world, run, story, proof, take };
}

const says = (criteria: readonly { id: string }[], rest: Partial<ReportedEvidence>): ReportedEvidence[] =>
  criteria.map(({ id }) => ({ criterion: id, ...rest }));

const seen = { grade: "worker", command: "npm test", exit_code: 0 } as const;

it("A product that requires no proof lets a story be done unproven, and keeps what was said", async () => {
  const { take, proof } = await openRun("none");
  const { job, report } = await take("w1");
  expect(job.criteria.map(({ kind, text }) => [kind, text])).toEqual([
    ["acceptance", "Works"],
    ["definition_of_done", "Tests pass"],
  ]);
  const ended = await report({ evidence: says(job.criteria.slice(0, 1), { excerpt: "I tried" }) });
  expect(ended).toMatchObject({ status: "done", phase: "implement" });
  const { criteria } = await proof();
  expect(criteria.map(({ state, grade }) => [state, grade])).toEqual([
    ["proven", "said"],
    ["unproven", null],
  ]);
});

it("A job that needs a worker's proof is refused done, with an issue for each unproven criterion", async () => {
  const { take, world, story } = await openRun("worker");
  const { job, report } = await take("w1");
  const [works] = job.criteria;
  const refusal = await refusalOf(report({ evidence: says([at(job.criteria, 0)], {}) }));
  expect(refusal.status).toBe(422);
  expect({ issues: refusal.issues }).toMatchObject({
    issues: [
      { path: works?.id, message: expect.stringContaining('"said"') },
      { path: job.criteria[1]?.id, message: expect.stringContaining("nothing proves it") },
    ],
  });
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
  expect(await t.columnOf("stories", story.id, "status")).toBe("IN_SPRINT");

  expect(await report({ evidence: says(job.criteria, seen) })).toMatchObject({ status: "done" });
  expect(await t.columnOf("stories", story.id, "status")).toBe("DONE");
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("DONE");
});

it("A check that passes without the work too proves no acceptance criterion, and the refusal says so", async () => {
  const { take, proof } = await openRun("worker");
  const { job, report } = await take("w1");
  const passes = { ...seen, base_exit_code: 0, guards: true };
  const refusal = await refusalOf(report({ evidence: says(job.criteria, passes) }));
  expect({ issues: refusal.issues }).toMatchObject({
    issues: [{ path: job.criteria[0]?.id, message: expect.stringContaining("passes without") }],
  });
  const failed = { ...seen, base_exit_code: 1 };
  const ended = await report({
    evidence: [...says([at(job.criteria, 0)], failed), ...says([at(job.criteria, 0), at(job.criteria, 1)], passes)],
  });
  expect(ended).toMatchObject({ status: "done" });
  expect((await proof()).criteria.map(({ state }) => state)).toEqual(["proven", "proven"]);
});

it("Only the last task of a story is asked for proof", async () => {
  const { take } = await openRun("worker", { stories: [2] });
  const first = await take("w1");
  expect(await first.report({})).toMatchObject({ status: "done" });
  const last = await take("w1");
  expect((await refusalOf(last.report({}))).status).toBe(422);
});

it("Evidence of an earlier commit no longer counts once the work has moved on", async () => {
  const { take, proof } = await openRun("worker", { stories: [2] });
  const first = await take("w1");
  await first.report({ head_sha: "aaa", evidence: says(first.job.criteria, seen) });
  expect((await proof()).criteria.map(({ state }) => state)).toEqual(["proven", "proven"]);
  const last = await take("w1");
  const refusal = await refusalOf(last.report({ head_sha: "bbb" }));
  expect(JSON.stringify(refusal.issues)).toContain("moved on to bbb");
  await last.report({ status: "running", head_sha: "bbb" });
  expect((await proof()).criteria.map(({ state }) => state)).toEqual(["stale", "stale"]);
  await last.report({ head_sha: "bbb", evidence: says(last.job.criteria, seen) });
  expect((await proof()).criteria.map(({ state }) => state)).toEqual(["proven", "proven"]);
});

it("A criterion that a person has waived needs no proof", async () => {
  const { take, world, story, proof } = await openRun("worker");
  const { job, report } = await take("w1");
  const [works, tests] = job.criteria;
  await waiveCriterion(world.actor, {
    story_id: story.id,
    criterion: works?.id ?? "",
    reason: "No one can try it here",
  });
  expect(await report({ evidence: says([{ id: tests?.id ?? "" }], seen) })).toMatchObject({ status: "done" });
  expect((await proof()).criteria[0]).toMatchObject({ state: "waived", waiver: { reason: "No one can try it here" } });
});

it("A task of a batch that finishes its story is refused done without proof", async () => {
  const { take, world } = await openRun("worker", { strategy: "SPRINT_BATCH" });
  const { attempt, job, report } = await take("w1");
  const task = { ...attempt, task_id: at(world.tasks, 0).id };
  const end = () => updateTaskExecution(world.actor, { ...task, status: "done", verify_result: "ALIGNED" });
  expect((await refusalOf(end())).status).toBe(422);
  await report({ status: "running", evidence: says(job.criteria, seen) });
  expect(await end()).toMatchObject({ status: "done" });
  expect(await report({})).toMatchObject({ status: "done" });
});

it("Work that another worker must verify is given to one, without the words of its author", async () => {
  const { take, world, run, story } = await openRun("other_worker");
  const author = await take("author");
  const waits = { status: "queued", phase: "verify", retry_count: 0, worker_id: expect.any(String) };
  expect(await author.report({ head_sha: "aaa", summary: "All fine" })).toMatchObject(waits);
  expect(await author.report({ head_sha: "aaa" })).toMatchObject({ status: "queued" });
  expect(await claimRefusal(world.actor, "author")).toBe("needs_other_worker");
  const why = await whyNotMoving(world.actor, { kind: "job", id: author.job.id });
  expect(why.reasons).toMatchObject([{ code: "needs_other_worker" }]);

  const verifier = await take("verifier");
  const fresh = { phase: "verify", head_sha: "aaa", previous_failure: null, earlier_attempts: [], questions: [] };
  expect(verifier.job).toMatchObject(fresh);
  const silent = await refusalOf(verifier.report({}));
  expect(silent.status).toBe(422);
  const noProcedure = says(verifier.job.criteria, { verdict: "pass" });
  expect((await refusalOf(verifier.report({ evidence: noProcedure }))).status).toBe(422);

  const evidence = says(verifier.job.criteria, { verdict: "pass", command: "npm test" });
  expect(await verifier.report({ evidence, head_sha: "zzz" })).toMatchObject({ status: "done", head_sha: "aaa" });
  expect(await t.columnOf("stories", story.id, "status")).toBe("DONE");
  expect((await getSprintRun(world.actor, { sprint_run_id: run.id })).status).toBe("done");
  const { attempts } = await getAgentJob(world.actor, { job_id: author.job.id });
  expect(attempts.map(({ outcome, worker_name }) => [outcome, worker_name])).toEqual([
    ["done", "author"],
    ["done", "verifier"],
  ]);
});

it("A verifier's findings send the work back, and after three rounds a person is asked", async () => {
  const { take, world } = await openRun("other_worker");
  for (const round of [1, 2, 3]) {
    const author = await take("author");
    expect(author.job.phase).toBe("implement");
    expect(author.job.findings.length).toBe(round === 1 ? 0 : 1);
    await author.report({ head_sha: `head${round}` });
    const verifier = await take("verifier");
    const [works, tests] = verifier.job.criteria;
    const evidence = [
      ...says([{ id: works?.id ?? "" }], { verdict: "fail", command: "npm start", exit_code: 1 }),
      ...says([{ id: tests?.id ?? "" }], { verdict: "pass", command: "npm test", exit_code: 0 }),
    ];
    const back = await verifier.report({ evidence });
    expect(back).toMatchObject({ status: "queued", phase: "implement", retry_count: 0 });
    expect(back.parked_question_id === null).toBe(round < 3);
  }
  expect(await claimRefusal(world.actor, "author")).toBe("question");
  const { questions } = await listQuestions(world.actor, { product_id: world.product.id });
  expect(questions[0]?.question).toContain("3 times");
});

it("A verifier that fails itself does not fail the work", async () => {
  const { take } = await openRun("other_worker");
  await (await take("author")).report({});
  const verifier = await take("verifier");
  const back = await verifier.report({ status: "failed", failure_class: "agent_error" });
  expect(back).toMatchObject({ status: "queued", phase: "verify", retry_count: 1 });
});

it("A batch is verified by another worker once, at its end", async () => {
  const { take, world } = await openRun("other_worker", { strategy: "SPRINT_BATCH", stories: [2, 1] });
  const author = await take("author");
  for (const task of world.tasks) {
    const done = { ...author.attempt, task_id: task.id, status: "done", verify_result: "ALIGNED" } as const;
    await updateTaskExecution(world.actor, done);
  }
  const statuses = async () => Promise.all(world.tasks.map(({ id }) => t.columnOf("tasks", id, "status")));
  expect(await statuses()).toEqual(["DONE", "REVIEW", "REVIEW"]);
  expect(await author.report({})).toMatchObject({ status: "queued", phase: "verify" });
  const verifier = await take("verifier");
  expect(verifier.job.criteria.length).toBe(4);
  const [first] = world.stories;
  const evidence = verifier.job.criteria.map(({ id, story_id }) => ({
    criterion: id,
    story_id,
    verdict: story_id === first?.id ? ("pass" as const) : ("fail" as const),
    excerpt: "I looked at it",
  }));
  expect(await verifier.report({ evidence })).toMatchObject({ phase: "implement" });
  expect(await statuses()).toEqual(["DONE", "REVIEW", "IN_PROGRESS"]);

  const again = await take("author");
  expect(again.job.executions?.map(({ status }) => status)).toEqual(["done", "done", "pending"]);
  const done = { ...again.attempt, task_id: at(world.tasks, 2).id, status: "done", verify_result: "ALIGNED" } as const;
  await updateTaskExecution(world.actor, done);
  await again.report({});
  const last = await take("verifier");
  const passes = last.job.criteria.map(({ id, story_id }) => ({ criterion: id, story_id, excerpt: "I looked at it" }));
  expect(await last.report({ evidence: passes })).toMatchObject({ status: "done" });
  expect(await statuses()).toEqual(["DONE", "DONE", "DONE"]);
});

it("Work that waits for a person's review holds no worker and lets the next job proceed", async () => {
  const { take, world, run } = await openRun("person", { stories: [1, 1] });
  const first = await take("w1");
  expect(await first.report({ evidence: says(first.job.criteria, seen) })).toMatchObject({
    status: "queued",
    phase: "review",
  });
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("REVIEW");
  const why = await whyNotMoving(world.actor, { kind: "job", id: first.job.id });
  expect(why.reasons).toMatchObject([{ code: "review" }]);
  const second = await take("w1");
  await second.report({});
  expect(await claimRefusal(world.actor, "w1")).toBe("review");

  await setTaskStatus(world.actor, { task_id: at(world.tasks, 0).id, status: "done" });
  expect(await t.columnOf("agent_jobs", first.job.id, "status")).toBe("DONE");
  await setTaskStatus(world.actor, { task_id: at(world.tasks, 1).id, status: "done" });
  expect((await getSprintRun(world.actor, { sprint_run_id: run.id })).status).toBe("done");
  expect((await claimAgentJob(world.actor, { worker: "w1" })).reason?.code).toBe("empty");
});

it("An approval counts as the person's own evidence for each criterion", async () => {
  const { take, world, story, proof } = await openRun("person");
  const first = await take("w1");
  await first.report({ evidence: says(first.job.criteria, seen) });
  await reviewJob(world.actor, { job_id: first.job.id, verdict: "approve", summary: "Fine" });
  expect(await t.columnOf("stories", story.id, "status")).toBe("DONE");
  expect((await proof()).criteria).toMatchObject([
    { state: "proven", grade: "person", evidence: [{ excerpt: "Fine" }, { grade: "worker" }] },
    { state: "proven", grade: "person" },
  ]);
});

it("A job with requested changes is claimed again before its branch continues", async () => {
  const { take, world } = await openRun("person", { stories: [1, 1] });
  const first = await take("w1");
  await first.report({});
  const changes = { verdict: "request_changes", summary: "Say it louder" } as const;
  await reviewJob(world.actor, { job_id: first.job.id, ...changes });
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
  expect((await take("w2")).job.id).toBe(first.job.id);
  expect(await claimRefusal(world.actor, "w3")).toBe("order");
});

it("Work that came back names the job that has its turn on the branch", async () => {
  const { take, world } = await openRun("person", { stories: [1, 1] });
  const first = await take("w1");
  await first.report({});
  const second = await take("w2");
  const changes = { verdict: "request_changes", summary: "Say it louder" } as const;
  await reviewJob(world.actor, { job_id: first.job.id, ...changes });
  const why = await whyNotMoving(world.actor, { kind: "job", id: first.job.id });
  expect(why.reasons).toMatchObject([{ code: "order", job_id: second.job.id }]);
});

it("No token may finish by hand what is not proven; a person may", async () => {
  const { world } = await openRun("worker");
  const token = await t.createToken(world.owner);
  const token_hash = createHash("sha256").update(token).digest("hex");
  const agent = { database: t.database, credential: { token_hash } };
  const done = { task_id: at(world.tasks, 0).id, status: "done" } as const;
  const refusal = await refusalOf(setTaskStatus(agent, done));
  expect(refusal.status).toBe(422);
  expect(refusal.issues?.map(({ message }) => message)).toEqual([
    "Works: nothing proves it yet.",
    "Tests pass: nothing proves it yet.",
  ]);
  const criterion = refusal.issues?.[0]?.path ?? "";
  const waiver = { story_id: at(world.stories, 0).id, criterion, reason: "No time" };
  expect((await refusalOf(waiveCriterion(agent, waiver))).status).toBe(403);
  expect(await setTaskStatus(world.actor, done)).toMatchObject({ status: "done" });
});
