import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createWebhook, listWebhookDeliveries } from "~/nouns/notices/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import type { WebhookEvent } from "~/wire/notices/contract";
import { createTestDatabase } from "../setup/database";
import { at } from "../setup/world";
import { startReceiver } from "./receiver";
import { sendBatch, senderOf } from "./send-batch";

const t = await createTestDatabase();
const sender = senderOf(t);

async function worldWithWebhook(url: string, events: WebhookEvent[]) {
  const world = await t.seedWorld();
  const webhook = await createWebhook(world.actor, { product_id: world.product.id, url, events });
  const ask = () => askQuestion(world.actor, { story_id: world.story.id, question: "Blue or green?" });
  return { ...world, webhook, ask };
}

const page = readFileSync("docs/webhooks.md", "utf8");

/** The function that docs/webhooks.md gives to receivers, as someone would copy it. */
async function documentedVerifier() {
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const { isFromBackloom } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return (secret: string, headers: object, body: string): unknown => isFromBackloom(secret, headers, body);
}

it("The verifier in docs/webhooks.md accepts a real delivery, and none that was changed", async () => {
  const receiver = await startReceiver("http");
  const { webhook, ask } = await worldWithWebhook(receiver.origin, ["question_opened"]);
  await ask();
  await sendBatch(sender);
  const { headers, body } = at(receiver.deliveries, 0);
  const text = body.toString();
  const verify = await documentedVerifier();
  expect(verify(webhook.secret, headers, text)).toBe(true);
  expect(verify(webhook.secret, headers, `${text} `)).toBe(false);
  expect(verify("whsec_b3RoZXI=", headers, text)).toBe(false);
  expect(verify(webhook.secret, { ...headers, "webhook-timestamp": "1" }, text)).toBe(false);
  expect(JSON.parse(text)).toMatchObject({ type: "question_opened", data: { event: "question_opened" } });
});

it("A webhook is sent a question and its answer, signed, each with an id for noticing repeats", async () => {
  const receiver = await startReceiver("http");
  const events: WebhookEvent[] = ["question_opened", "question_answered"];
  const { actor, webhook, ask } = await worldWithWebhook(`${receiver.origin}/hook`, events);

  const question = await ask();
  await answerQuestion(actor, { question_id: question.id, answer: "Green" });
  await sendBatch(sender);

  const kinds = receiver.deliveries.map(({ body }) => JSON.parse(body.toString()).type);
  expect(kinds.sort()).toEqual(["question_answered", "question_opened"]);
  const ids = new Set(receiver.deliveries.map(({ headers }) => headers["webhook-id"]));
  expect(ids.size).toBe(2);
  for (const { headers, body } of receiver.deliveries) {
    const key = Buffer.from(webhook.secret.replace("whsec_", ""), "base64");
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const signature = createHmac("sha256", key).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
  }
});

it("A webhook is not sent events that it did not choose", async () => {
  const receiver = await startReceiver("http");
  const { ask } = await worldWithWebhook(receiver.origin, ["run_failed"]);
  await ask();
  await sendBatch(sender);
  expect(receiver.deliveries).toEqual([]);
});

it("A failed delivery is sent again with the same id, and the log shows both attempts", async () => {
  const receiver = await startReceiver("http");
  const { actor, webhook, ask } = await worldWithWebhook(receiver.origin, ["question_opened"]);
  await ask();
  receiver.answerWith(503);
  await sendBatch(sender);
  const [failed] = (await listWebhookDeliveries(actor, { webhook_id: webhook.id })).deliveries;
  expect(failed).toMatchObject({ status: "pending", response_status: 503, attempts: 1 });

  receiver.answerWith(204);
  await t.query`update public.notices set next_attempt_at = now() where status = 'PENDING'`;
  await sendBatch(sender);
  const [delivered] = (await listWebhookDeliveries(actor, { webhook_id: webhook.id })).deliveries;
  expect(delivered).toMatchObject({ status: "delivered", response_status: 204, attempts: 2 });
  expect(at(receiver.deliveries, 0).headers["webhook-id"]).toBe(at(receiver.deliveries, 1).headers["webhook-id"]);
});

it("A webhook never reaches an address of a private network where that is not allowed", async () => {
  const receiver = await startReceiver("http");
  const { actor, webhook, ask } = await worldWithWebhook(receiver.origin, ["question_opened"]);
  await ask();
  await sendBatch({ ...sender, allowPrivateDestinations: false });
  expect(receiver.deliveries).toEqual([]);
  const [refused] = (await listWebhookDeliveries(actor, { webhook_id: webhook.id })).deliveries;
  expect(refused).toMatchObject({ status: "failed", response_status: null });
});
