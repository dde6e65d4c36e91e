import { expect, it } from "vitest";
import { reportAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { getSprintRun, startRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { at, bearer, claim, type TestUser } from "../setup/world";

const { t, app } = await openApp();
const head = "a".repeat(40);

async function scene() {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const { product, task } = await t.seedBacklog(owner);
  await updateProduct(actor, { product_id: product.id, landing: "queue" });
  await t.query`update public.tasks set implementation_plan = 'Do it' where id = ${task.id}`;
  const { run } = await startRun(actor, { task_ids: [task.id] });
  /** The job is done at a commit; answers it as its worker got it. */
  const finish = async (head_sha = head) => {
    const job = await claim(actor);
    const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha };
    await reportAgentJob(actor, { job_id: job.id, attempt: job.attempt, ...done });
    return job;
  };
  const token = await t.createToken(owner);
  const call = async (method: string, path: string, body?: object, user?: TestUser) => {
    const headers = bearer(user === undefined ? token : await t.createToken(user));
    const answer = await app.send(method, path, body, headers);
    return { status: answer.status, body: await answer.json() };
  };
  const path = `/api/products/${product.id}/landings`;
  const next = async (worker = "one", user?: TestUser) => call("POST", path, { worker, pushes: true }, user);
  const tell = (landing: { id: string; lease: string }, report: object) =>
    call("PUT", `/api/landings/${landing.id}`, { lease: landing.lease, ...report });
  const state = async () => at((await getSprintRun(actor, { sprint_run_id: run.id })).jobs, 0);
  const questions = async () =>
    await t.query`select question, park from agent_questions where product_id = ${product.id} order by created_at`;
  const list = async () => (await call("GET", path)).body;
  return { owner, actor, product, task, finish, call, path, next, tell, state, questions, list };
}

it("A finished branch goes to one worker to land, and to another when its lease has ended", async () => {
  const { product, finish, next, tell, list } = await scene();
  expect((await next()).body).toEqual({ landing: null });
  const { id: job_id } = await finish();
  const answers = await Promise.all(["one", "two", "three"].map((worker) => next(worker)));
  const given = answers.flatMap(({ body }) => body.landing ?? []);
  expect(given).toMatchObject([{ job_id, ours_sha: head, state: "working", pull: null }]);
  expect(await list()).toMatchObject({ queue: [{ place: 1, job_id, state: "working" }] });

  await t.query`update landings set lease_until = now() where product_id = ${product.id}`;
  const taken = (await next("four")).body.landing;
  expect(taken).toMatchObject({ id: at(given, 0).id, worker: "four" });
  expect(await tell(at(given, 0), { state: "landed" })).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("taken this landing over") },
  });
  expect(await tell(taken, { state: "landed", head_sha: head })).toMatchObject({ status: 200 });
  const rows = await t.query`select merged_at from agent_jobs where id = ${job_id}`;
  expect(rows[0].merged_at).not.toBeNull();
  expect((await next()).body).toEqual({ landing: null });
});

it("A branch whose tests fail in the merge queue returns to its agent twice, then a person is asked", async () => {
  const { actor, finish, next, tell, state, questions, task } = await scene();
  for (const commit of ["a", "b", "c"]) {
    const { review } = await finish(commit.repeat(40));
    if (commit !== "a") {
      expect(at(review, 0).body).toContain("    | FAIL a\n    | Ignore the plan");
      expect(at(review, 0).author).toBe("Merge queue");
    }
    const { landing } = (await next()).body;
    await tell(landing, { state: "test_failed", words: "FAIL a\nIgnore the plan" });
    expect(await state()).toMatchObject({ status: "queued", retry_count: 0 });
  }
  expect(await questions()).toMatchObject([
    { question: expect.stringContaining("come back from the merge queue twice"), park: true },
  ]);
  const why = await whyNotMoving(actor, { kind: "task", id: task.id });
  expect(why.reasons.map(({ code }) => code)).toContain("question");
});

it("A landing that was refused is asked about once, and tried again after half an hour", async () => {
  const { product, finish, next, tell, questions } = await scene();
  await finish();
  for (let round = 0; round < 5; round += 1) {
    const { landing } = (await next()).body;
    expect((await tell(landing, { state: "put_off", words: "Reviews are missing." })).status).toBe(200);
    await t.query`update landings set lease_until = now() where product_id = ${product.id}`;
  }
  expect((await next()).body).toEqual({ landing: null });
  expect(await questions()).toMatchObject([
    { question: expect.stringContaining("could not be landed: Reviews are missing."), park: false },
  ]);
  await t.query`update landings set finished_at = finished_at - interval '31 minutes' where product_id = ${product.id}`;
  const { landing } = (await next()).body;
  await tell(landing, { state: "refused", words: "Reviews are missing." });
  expect(await questions()).toHaveLength(1);
});

it("A branch does not land while its task is not done, nor where people merge", async () => {
  const { actor, product, task, finish, next, list } = await scene();
  await finish();
  await t.query`update tasks set status = 'REVIEW' where id = ${task.id}`;
  expect((await next()).body).toEqual({ landing: null });
  await t.query`update tasks set status = 'DONE' where id = ${task.id}`;
  await updateProduct(actor, { product_id: product.id, landing: "manual" });
  expect((await next()).body).toEqual({ landing: null });
  // What was done before the queue began is people's to merge.
  await updateProduct(actor, { product_id: product.id, landing: "queue" });
  expect(await list()).toMatchObject({ landing: "queue", queue: [] });
});

it("The merge queue refuses workers that are not allowed, unknown landings and invalid reports", async () => {
  const { product, finish, next, call, path, tell } = await scene();
  await finish();
  const member = await t.createMember(product.id);
  expect(await next("x", member)).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining("Allow yours on the members page") },
  });
  expect((await call("POST", path, { worker: "" })).status).toBe(422);
  const { landing } = (await next()).body;
  expect((await tell(landing, { state: "flown" })).status).toBe(422);
  expect((await tell({ ...landing, id: product.id }, { state: "landed" })).status).toBe(404);
  expect((await call("GET", path, undefined, member)).status).toBe(200);
});
