import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import {
  createWebhook,
  deleteWebhook,
  listPushSubscriptions,
  listWebhookDeliveries,
  listWebhooks,
  markNotice,
  pingWebhook,
  subscribePush,
  takeDueNotices,
  unsubscribePush,
  updateWebhook,
} from "~/nouns/notices/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import type { DueNotice } from "~/wire/notices/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

const device = (name: string) => ({ endpoint: `https://push.example.com/${name}`, p256dh: "key", auth: "auth" });

/** Everything that is due now, so that each test starts with an empty outbox. */
async function drain(): Promise<DueNotice[]> {
  const all: DueNotice[] = [];
  for (;;) {
    const { notices } = await takeDueNotices(t.database, { limit: 500 });
    if (notices.length === 0) return all;
    all.push(...notices);
  }
}

it("A question notifies each member with a device and each webhook that wants the event", async () => {
  const world = await t.seedWorld(0);
  await subscribePush(world.actor, device("owner"));
  await t.createMember(world.product.id);
  const hook = await createWebhook(world.actor, {
    product_id: world.product.id,
    url: "https://example.com/hook",
    events: ["question_opened", "question_answered"],
  });
  await createWebhook(world.actor, {
    product_id: world.product.id,
    url: "https://example.com/runs",
    events: ["run_failed"],
  });
  await drain();
  const question = await askQuestion(world.actor, { story_id: world.story.id, question: "Why?" });
  const opened = await drain();
  expect(opened.map((n) => n.user_id ?? n.webhook?.id).sort()).toEqual([world.owner.id, hook.id].sort());
  expect(opened.map((n) => n.kind)).toEqual(["question_opened", "question_opened"]);
  expect(opened.find((n) => n.user_id)?.subscriptions).toMatchObject([
    { endpoint: "https://push.example.com/owner", p256dh: "key", auth: "auth" },
  ]);
  const { id, secret } = hook;
  expect(opened.find((n) => n.webhook)?.webhook).toEqual({ id, url: "https://example.com/hook", secret, active: true });
  expect(at(opened, 0).payload).toMatchObject({
    event: "question_opened",
    product_id: world.product.id,
    body: "Why?",
    path: `/inbox?show=questions&question=${question.id}`,
    data: { id: question.id, status: "open" },
  });
  await answerQuestion(world.actor, { question_id: question.id, answer: "Because" });
  expect((await drain()).map((n) => [n.kind, n.webhook?.id])).toEqual([["question_answered", hook.id]]);
});

it("A question that has an assignee notifies only the assignee", async () => {
  const world = await t.seedWorld(0);
  const member = await t.createMember(world.product.id);
  await subscribePush(world.actor, device("a-owner"));
  await subscribePush(t.actorOf(member), device("a-member"));
  await drain();
  await askQuestion(world.actor, { story_id: world.story.id, question: "You?", assignee_id: member.id });
  expect((await drain()).map((n) => n.user_id)).toEqual([member.id]);
});

it("Failed runs and needed reviews give notices, and a change that was rolled back gives none", async () => {
  const world = await t.seedSprint({ stories: [1, 1], strategy: "STORY" });
  await subscribePush(world.actor, device("runs"));
  await world.start();
  const jobs = [await claim(world.actor, "w-1"), await claim(world.actor, "w-2")];
  await drain();
  const client = await t.begin();
  await client.query("update public.tasks set status = 'REVIEW' where id = $1", [at(world.tasks, 0).id]);
  await client.query("rollback");
  expect(await drain()).toEqual([]);
  await reportAgentJob(world.actor, { job_id: at(jobs, 0).id, attempt: 1, status: "skipped", verify_result: "EMPTY" });
  await reportAgentJob(world.actor, { job_id: at(jobs, 1).id, attempt: 1, status: "failed" });
  expect((await drain()).map((n) => n.kind)).toEqual(["review_needed", "run_failed"]);
});

it("A failed delivery is tried again with growing pauses and given up after ten attempts", async () => {
  const world = await t.seedWorld(0);
  const hook = await createWebhook(world.actor, { product_id: world.product.id, url: "https://example.com/down" });
  await drain();
  const { id } = await pingWebhook(world.actor, { webhook_id: hook.id });
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    await t.query`update public.notices set next_attempt_at = now() where id = ${id}`;
    expect(await drain()).toMatchObject([{ id, kind: "ping", attempts: attempt }]);
    const failure = { delivered: false, response_status: 503, error: "Service unavailable" };
    const marked = await markNotice(t.database, { notice_id: id, ...failure });
    expect(marked.status).toBe(attempt < 10 ? "pending" : "failed");
    pauses.push(Date.parse(marked.next_attempt_at ?? "") - Date.now());
  }
  expect(at(pauses, 3) / at(pauses, 2)).toBeGreaterThan(1.8);
  const { deliveries } = await listWebhookDeliveries(world.actor, { webhook_id: hook.id });
  expect(deliveries).toMatchObject([{ id, kind: "ping", status: "failed", attempts: 10, response_status: 503 }]);
  const { webhooks } = await listWebhooks(world.actor, { product_id: world.product.id });
  expect(webhooks).toMatchObject([{ last_delivery: { status: "failed" } }]);
});

it("A device belongs to one user, and to another one who signs in on it", async () => {
  const [a, b] = [t.actorOf(await t.createUser()), t.actorOf(await t.createUser())];
  const { id } = await subscribePush(a, device("shared"));
  expect((await listPushSubscriptions(b)).subscriptions).toEqual([]);
  expect(await unsubscribePush(b, { id })).toEqual({ removed: 0 });
  await subscribePush(b, device("shared"));
  expect((await listPushSubscriptions(a)).subscriptions).toEqual([]);
  expect(await unsubscribePush(b, { endpoint: device("shared").endpoint })).toEqual({ removed: 1 });
  const demo = t.actorOf(await t.createUser({ demo: true }));
  expect(await statusOf(subscribePush(demo, device("demo")))).toBe(403);
});

it("A webhook's secret is answered once, and only the product's owner manages its webhooks", async () => {
  const world = await t.seedWorld(0);
  const member = await t.createMember(world.product.id);
  const input = { product_id: world.product.id, url: "https://example.com/hook" };
  const hook = await createWebhook(world.actor, input);
  expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(JSON.stringify(await listWebhooks(world.actor, input))).not.toContain(hook.secret);
  const changed = await updateWebhook(world.actor, { webhook_id: hook.id, active: false, events: ["run_done"] });
  expect(changed).toMatchObject({ active: false, events: ["run_done"], url: input.url });
  const other = t.actorOf(member);
  expect(await statusOf(createWebhook(other, input))).toBe(403);
  expect(await statusOf(listWebhooks(other, input))).toBe(403);
  expect(await statusOf(deleteWebhook(other, { webhook_id: hook.id }))).toBe(403);
  expect(await statusOf(listWebhookDeliveries(other, { webhook_id: hook.id }))).toBe(403);
  expect(await statusOf(createWebhook(world.actor, { ...input, url: "javascript:alert(1)" }))).toBe(422);
  expect(await deleteWebhook(world.actor, { webhook_id: hook.id })).toMatchObject({ deleted: true });
  expect(await t.columnOf("webhooks", hook.id, "id")).toBeUndefined();
});
