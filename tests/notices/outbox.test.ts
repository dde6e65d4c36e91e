import { expect, it } from "vitest";
import { createWebhook, takeDueNotices } from "~/nouns/notices/operations.server";
import { createTestDatabase } from "../setup/database";
import { startReceiver } from "./receiver";
import { sendBatch, senderOf } from "./send-batch";

const t = await createTestDatabase();
const sender = senderOf(t);
const noticeCount = 200;

async function sendAll(): Promise<void> {
  while ((await sendBatch(sender)) > 0);
}

it("No notice is lost when a sender dies before sending, and none that was rolled back is sent", async () => {
  const receiver = await startReceiver("http");
  const { actor, product, story, owner } = await t.seedWorld();
  await createWebhook(actor, { product_id: product.id, url: receiver.origin, events: ["question_opened"] });
  const insert = `
      insert into public.agent_questions (product_id, story_id, asked_by, question, expires_at)
      select $1, $2, $3, $4 || n, now() + interval '1 day' from generate_series(1, $5::integer) n`;
  const values = [product.id, story.id, owner.id];
  const client = await t.begin();
  await client.query(insert, [...values, "rolled back ", noticeCount]);
  await client.query("rollback");
  await t.sql.query(insert, [...values, "kept ", noticeCount]);

  // A sender that takes a batch and is gone: nothing is marked.
  const lost = await takeDueNotices(t.database, { limit: 50, lease_seconds: 60 });
  expect(lost.notices).toHaveLength(50);
  await sendAll();
  expect(receiver.deliveries).toHaveLength(noticeCount - 50);

  // Their lease runs out.
  await t.query`update public.notices set next_attempt_at = now() where status = 'PENDING'`;
  await sendAll();
  const questions = receiver.deliveries.map(({ body }) => JSON.parse(body.toString()).data.data.question);
  expect(new Set(questions)).toEqual(new Set(Array.from({ length: noticeCount }, (_, index) => `kept ${index + 1}`)));
});

it("Each notice is sent by one of several senders", async () => {
  const receiver = await startReceiver("http");
  const { actor, product, story, owner } = await t.seedWorld();
  await createWebhook(actor, { product_id: product.id, url: receiver.origin, events: ["question_opened"] });
  await t.query`
      insert into public.agent_questions (product_id, story_id, asked_by, question, expires_at)
      select ${product.id}, ${story.id}, ${owner.id}, 'Which ' || n, now() + interval '1 day' from generate_series(1, 100) n`;
  await Promise.all([sendAll(), sendAll(), sendAll(), sendAll()]);
  const ids = receiver.deliveries.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(100);
  expect(new Set(ids).size).toBe(100);
});
