import { expect, it } from "vitest";
import { cancelAgentJob, getAgentJob, reportAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { archiveProduct, updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, cancelQuestion } from "~/nouns/questions/operations.server";
import { getSprintRun, resumeSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { getTaskDetail, setTaskStatus, updateTask } from "~/nouns/tasks/operations.server";
import { later, minutes, serviceAt } from "../db/agents/fixed-clock";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { at, claim, claimRefusal, type SprintOptions } from "../setup/world";

const { t, app } = await openApp();
const plan = "1. Write the footer\r\n2. Test it  \n";
const noPlan: SprintOptions = { stories: [1], plan: () => undefined };

/** A claimed job whose plan a person is to approve. */
async function scene(options: SprintOptions = noPlan) {
  const world = await t.seedSprint(options);
  const { actor, sprint } = world;
  const run = await startSprintRun(actor, { sprint_id: sprint.id, plan_review: "person" });
  const job = await claim(actor);
  const attempt = { job_id: job.id, attempt: job.attempt };
  const handIn = (text = plan, n = attempt) =>
    reportAgentJob(actor, { ...n, status: "running", implementation_plan: text });
  const cookie = { cookie: await app.signIn(world.owner) };
  const judge = (body: unknown, headers: Record<string, string> = cookie) =>
    app.send("POST", `/api/jobs/${job.id}/plan`, body, headers);
  const statusOf = async (body: unknown, headers?: Record<string, string>) => (await judge(body, headers)).status;
  const read = () => getAgentJob(actor, { job_id: job.id });
  return { ...world, run, job, attempt, handIn, judge, statusOf, read, task: at(world.tasks, 0) };
}

it("An approved plan is frozen byte for byte, no matter what the task says later", async () => {
  const { actor, job, handIn, statusOf, read, task } = await scene();
  expect(job).toMatchObject({ plan_first: true, plan_review: "person", plan: null });
  expect(await handIn()).toMatchObject({ status: "queued", phase: "plan", plan_snapshot: null });
  expect(at((await read()).attempts, 0).outcome).toBe("question");
  expect((await getTaskDetail(actor, { task_id: task.id })).implementation_plan ?? "").toBe("");
  expect(await claimRefusal(actor)).toBe("question");
  expect(await statusOf({ verdict: "approve" })).toBe(200);
  expect((await getTaskDetail(actor, { task_id: task.id })).implementation_plan).toBe(plan);
  await updateTask(actor, { task_id: task.id, implementation_plan: "Another one" });
  const again = await claim(actor);
  expect(again).toMatchObject({ plan_first: false, plan_snapshot: plan, attempt: 2 });
  expect(await read()).toMatchObject({ plan_snapshot: plan, phase: "implement" });
});

it("A plan that a person edits while approving is what the task and the next claim get", async () => {
  const { actor, handIn, judge, task } = await scene();
  await handIn();
  const edited = "Only the footer.\n";
  expect(await (await judge({ verdict: "approve", plan: edited })).json()).toMatchObject({
    plan_snapshot: edited,
    phase: "implement",
    plan_approved_at: expect.any(String),
  });
  expect(await claim(actor)).toMatchObject({ plan: edited });
  expect((await getTaskDetail(actor, { task_id: task.id })).implementation_plan).toBe(edited);
});

it("A plan sent back with remarks gives these to the next claim", async () => {
  const { actor, handIn, statusOf } = await scene();
  await handIn();
  expect(await statusOf({ verdict: "request_changes" })).toBe(422);
  expect(await statusOf({ verdict: "request_changes", summary: "Keep the header" })).toBe(200);
  const again = await claim(actor);
  expect(again).toMatchObject({ plan_first: true, plan: null });
  expect(again.questions).toMatchObject([{ plan, effective_answer: "Changes requested: Keep the header" }]);
  await handIn("Another plan", { job_id: again.id, attempt: again.attempt });
  expect(await statusOf({ verdict: "approve" })).toBe(200);
  expect(await claim(actor)).toMatchObject({ plan: "Another plan" });
});

it("A plan is judged once, while it waits, and only by people who may write", async () => {
  const { actor, owner, product, handIn, statusOf, read } = await scene();
  const approve = { verdict: "approve" };
  expect(await statusOf(approve)).toBe(409);
  await handIn();
  expect(await statusOf({ verdict: "maybe" })).toBe(422);
  expect(await statusOf({ verdict: "approve", plan: " " })).toBe(422);
  const own = await t.bearerOf(owner);
  expect(await statusOf(approve, own)).toBe(403);
  const [viewer, stranger, demo] = [await t.createUser(), await t.createUser(), await t.createUser({ demo: true })];
  await t.addMember(product.id, viewer);
  await t.query`update product_members set role = 'VIEWER' where user_id = ${viewer.id}`;
  await t.addMember(product.id, demo);
  for (const user of [viewer, stranger, demo]) {
    const headers = { cookie: await app.signIn(user) };
    expect(await statusOf(approve, headers), user.username).toBe(403);
  }

  const id = at((await read()).questions, 0).id;
  expect(await refusalOf(answerQuestion(actor, { question_id: id, answer: "Yes" }))).toMatchObject({ status: 409 });
  expect(await refusalOf(cancelQuestion(actor, { question_id: id }))).toMatchObject({ status: 409 });
  const both = await Promise.all([statusOf(approve), statusOf(approve)]);
  expect(both.toSorted()).toEqual([200, 409]);
  await archiveProduct(actor, { product_id: product.id });
  expect(await statusOf(approve)).toBe(403);
});

it("A job that waits for its plan says so, in the inbox too, and is not done before the approval", async () => {
  const { actor, job, handIn, attempt } = await scene();
  const tooEarly = { ...attempt, status: "done" as const, verify_result: "ALIGNED" as const };
  expect(await refusalOf(reportAgentJob(actor, tooEarly))).toMatchObject({ status: 409 });
  const withPlan = { ...tooEarly, implementation_plan: plan };
  expect(await refusalOf(reportAgentJob(actor, withPlan))).toMatchObject({ status: 409 });
  await handIn();
  // A lost answer makes a worker say it again.
  expect(await handIn()).toMatchObject({ phase: "plan" });
  expect(await refusalOf(handIn("Another"))).toMatchObject({ status: 409 });
  const { reasons } = await whyNotMoving(actor, { kind: "job", id: job.id });
  expect(reasons).toMatchObject([{ code: "plan", message: expect.stringContaining("waits for a person") }]);
  const { items } = await getInbox(actor, { kinds: ["question"] });
  expect(items).toMatchObject([{ kind: "question", question: { plan, job_id: job.id } }]);
});

it("A plan that a token wrote into the task does not count as approved", async () => {
  const { actor, owner, attempt, task, statusOf } = await scene();
  const own = await t.bearerOf(owner);
  const write = async (body: unknown) => (await app.send("PATCH", `/api/tasks/${task.id}`, body, own)).status;
  expect(await write({ verify_only: true, implementation_plan: "Do what I like" })).toBe(200);
  const done = { ...attempt, status: "done" as const, verify_result: "ALIGNED" as const };
  expect(await refusalOf(reportAgentJob(actor, done))).toMatchObject({ status: 409 });
  expect(await write({ status: "in_progress", verify_only: false })).toBe(200);
  await reportAgentJob(actor, {
    ...attempt,
    status: "failed",
    failure_class: "rate_limited",
    resets_at: new Date(Date.now() - 1000).toISOString(),
  });
  await t.query`update agent_jobs set not_before = null where id = ${attempt.job_id}`;
  const again = await claim(actor);
  expect(again).toMatchObject({ plan_first: true, plan: null, attempt: 2 });
  const early = { job_id: again.id, attempt: again.attempt, verify_result: "ALIGNED" as const };
  expect(await refusalOf(reportAgentJob(actor, { ...early, status: "done" }))).toMatchObject({ status: 409 });
  expect(await statusOf({ verdict: "approve" })).toBe(409);
});

it("A plan that waits too long expires and pauses the run, which asks again when resumed", async () => {
  const { actor, run, handIn, statusOf, read } = await scene();
  await handIn();
  await serviceAt(t, later(new Date(), minutes(8 * 24 * 60)), "expire_questions()");
  expect(await getSprintRun(actor, { sprint_run_id: run.id })).toMatchObject({ status: "paused" });
  expect(await statusOf({ verdict: "approve" })).toBe(409);
  await resumeSprintRun(actor, { sprint_run_id: run.id });
  expect(await claimRefusal(actor)).toBe("question");
  const plans = (await read()).questions.filter((question) => question.plan !== null);
  expect(plans).toMatchObject([{ status: "expired" }, { status: "open", plan }]);
  expect(await statusOf({ verdict: "approve" })).toBe(200);
  expect(await claim(actor)).toMatchObject({ plan });
});

it("A waiting plan is cancelled when its job or its task ends", async () => {
  const cancelled = await scene();
  await cancelled.handIn();
  await cancelAgentJob(cancelled.actor, { job_id: cancelled.job.id });
  expect(await cancelled.statusOf({ verdict: "approve" })).toBe(409);
  expect((await cancelled.read()).questions).toMatchObject([{ status: "cancelled" }]);
  const byHand = await scene();
  await byHand.handIn();
  await setTaskStatus(byHand.actor, { task_id: byHand.task.id, status: "done" });
  expect(await byHand.read()).toMatchObject({ status: "done", questions: [{ status: "cancelled" }] });
});

it("A run started without plan review asks for none, even where its product does", async () => {
  const world = await t.seedSprint(noPlan);
  const { actor, sprint, product } = world;
  await updateProduct(actor, { product_id: product.id, plan_review: "person" });
  const run = await startSprintRun(actor, { sprint_id: sprint.id, plan_review: "none", plan_first: true });
  expect(run).toMatchObject({ plan_first: true, plan_review: "none" });
  const job = await claim(actor);
  const report = { job_id: job.id, attempt: 1, status: "running" as const, implementation_plan: plan };
  expect(await reportAgentJob(actor, report)).toMatchObject({ phase: "implement", plan_snapshot: plan });
});
