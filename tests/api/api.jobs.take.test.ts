import { expect, it } from "vitest";
import {
  checkQueueEmpty,
  getAgentJob,
  heartbeatAgentJob,
  reportAgentJob,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { archiveProduct } from "~/nouns/products/operations.server";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { at, bearer, claim, claimRefusal } from "../setup/world";

const { t, app } = await openApp();

async function scene() {
  const world = await t.seedSprint({ stories: [1] });
  const { actor, start, owner, product, tasks } = world;
  const found = await t.query`select code from tasks where id = ${at(tasks, 0).id}`;
  const code: string = at(found, 0).code;
  await start();
  const token = await t.createToken(owner);
  const take = async (wish: Record<string, unknown> = {}, by = token) => {
    const answer = await app.send("POST", "/api/jobs/take", { task: code, product: product.code, ...wish }, bearer(by));
    const body = await answer.json();
    return { status: answer.status, body };
  };
  const rows = await t.query`select j.id from agent_jobs j where j.product_id = ${product.id}`;
  const job_id: string = at(rows, 0).id;
  return { ...world, token, take, job_id, read: () => getAgentJob(actor, { job_id }) };
}

it("A person who takes a waiting job gets it at once, and no worker is handed it", async () => {
  const { take, read, actor, job_id } = await scene();
  const { status, body } = await take();
  expect({ status, ...body }).toMatchObject({ status: 200, job: { id: job_id, attempt: 1 } });
  expect(await read()).toMatchObject({ holder: "person", status: "claimed" });
  expect(await claimRefusal(actor)).toBe("empty");
  const again = await take();
  expect(again).toMatchObject({ status: 409, body: { error: expect.stringContaining("give") } });
  expect(await whyNotMoving(actor, { kind: "job", id: job_id })).toMatchObject({
    reasons: [{ code: "held", command: "node ~/backloom-worker.mjs give --back" }],
  });
});

it("Taking a running job asks its agent to end, holds the job, and refuses what comes too late", async () => {
  const { take, read, actor, job_id } = await scene();
  const { attempt } = await claim(actor);
  const beat = () => heartbeatAgentJob(actor, { job_id, attempt });
  expect(await beat()).toMatchObject({ action: "continue", reason: null });
  expect(await refusalOf(reportAgentJob(actor, { job_id, attempt, status: "queued" }))).toMatchObject({ status: 422 });
  expect((await take()).body).toMatchObject({ job: null, waits_for: expect.any(String) });
  expect(await beat()).toMatchObject({ action: "continue", reason: { code: "held" } });
  expect((await take({ at_once: true })).body.job).toBeNull();
  expect(await beat()).toMatchObject({ reason: { code: "held_at_once" } });
  expect(await read()).toMatchObject({ holder: null });
  const report = { job_id, attempt, status: "queued" as const, session_id: "s-1" };
  await reportAgentJob(actor, report);
  expect(await read()).toMatchObject({ status: "queued", holder: "person", retry_count: 0 });
  // Repeated, as an answer may get lost.
  expect(await reportAgentJob(actor, report)).toMatchObject({ status: "queued" });
  expect(await claimRefusal(actor)).toBe("held");
  expect(await checkQueueEmpty(actor, {})).toMatchObject({ claimable: false });
  const { body } = await take();
  expect(body.job).toMatchObject({ attempt: 2, earlier_attempts: [{ session_id: "s-1" }] });
  const late = reportAgentJob(actor, { job_id, attempt, status: "done" });
  expect(await refusalOf(late)).toMatchObject({ status: 409 });
  await reportAgentJob(actor, { job_id, attempt: 2, status: "queued" });
  expect(await read()).toMatchObject({ status: "queued", holder: null });
  expect(await claim(actor)).toMatchObject({ id: job_id, attempt: 3 });
});

it("A job is taken by one person only; a second one, viewers and strangers are refused", async () => {
  const { take, product, actor, job_id } = await scene();
  const [bob, vera, eve] = await Promise.all([t.createUser(), t.createUser(), t.createUser()]);
  await t.addMember(product.id, bob);
  await t.addMember(product.id, vera);
  await t.query`update product_members set role = 'VIEWER' where user_id = ${vera.id}`;
  const [bobs, veras, eves] = await Promise.all([bob, vera, eve].map((user) => t.createToken(user)));
  expect((await take({}, veras)).status).toBe(403);
  expect((await take({}, eves)).status).toBe(404);
  expect((await take({ task: "T-99" })).status).toBe(404);
  expect((await take({ task: "x".repeat(100) })).status).toBe(422);
  const both = await Promise.all([take(), take({}, bobs)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { attempt } = await getAgentJob(actor, { job_id });
  expect(attempt).toBe(1);
  await archiveProduct(actor, { product_id: product.id });
  expect((await take()).status).toBe(403);
});

it("A taken job is released by itself when the terminal's lease or its own wait runs out", async () => {
  const { take, read, actor, job_id } = await scene();
  const past = (column: string) =>
    t.sql.query(`update agent_jobs set ${column} = now() - interval '1 second' where id = $1`, [job_id]);
  await take();
  // It was lost three times before: a terminal that dies does not count.
  await t.query`update agent_jobs set retry_count = 3 where id = ${job_id}`;
  await past("lease_until");
  expect(await claim(actor)).toMatchObject({ id: job_id, attempt: 2 });
  expect(await read()).toMatchObject({ holder: null, attempts: [{ outcome: "lost" }, {}] });
  await take();
  await reportAgentJob(actor, { job_id, attempt: 2, status: "queued" });
  expect(await claimRefusal(actor)).toBe("held");
  await past("taken_until");
  expect(await claim(actor)).toMatchObject({ id: job_id, attempt: 3 });
  expect(await read()).toMatchObject({ holder: null });
});
