import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import webPush from "web-push";
import { sendDueNotices, startNoticeSender } from "~/notices/sender.server";
import {
  createWebhook,
  listPushSubscriptions,
  listWebhookDeliveries,
  subscribePush,
} from "~/nouns/notices/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { createTestDatabase } from "../setup/database";
import { at } from "../setup/world";
import { drip, type HostileReceiver, pour, startHostileReceiver } from "./hostile-receiver";
import { createDevice } from "./push-device";
import { startReceiver } from "./receiver";
import { sendBatch, senderOf } from "./send-batch";

const t = await createTestDatabase();
const sender = senderOf(t, { ...webPush.generateVAPIDKeys(), subject: "mailto:operator@example.com" });
const ok = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";

/** A product whose questions go to this address; the answer tells how the last delivery went. */
async function withWebhook(url: string) {
  const { actor, product, story } = await t.seedWorld();
  const events = ["question_opened" as const];
  const webhook = await createWebhook(actor, { product_id: product.id, url, events });
  return {
    ask: () => askQuestion(actor, { story_id: story.id, question: "Blue or green?" }),
    delivery: async () => at((await listWebhookDeliveries(actor, { webhook_id: webhook.id })).deliveries, 0),
  };
}

async function withPhone(endpoint: string) {
  const { actor, story } = await t.seedWorld();
  await subscribePush(actor, createDevice(endpoint).subscription);
  return {
    ask: () => askQuestion(actor, { story_id: story.id, question: "Blue or green?" }),
    device: async () => at((await listPushSubscriptions(actor)).subscriptions, 0),
  };
}

async function untilClosed({ sockets }: HostileReceiver): Promise<number> {
  const socket = at(sockets, 0);
  if (!socket.destroyed) await once(socket, "close");
  return socket.bytesWritten;
}

function runSender(): () => Promise<void> {
  const stop = startNoticeSender(sender);
  onTestFinished(stop);
  return stop;
}

it("A webhook is delivered once its receiver sent a status, even if the body never ends", async () => {
  const receiver = await startHostileReceiver((socket) => pour(socket, ok, "10\r\n0123456789abcdef\r\n"));
  const { ask, delivery } = await withWebhook(receiver.origin);
  await ask();
  await sendBatch(sender);
  expect(await delivery()).toMatchObject({ status: "delivered", response_status: 200 });
  expect(await untilClosed(receiver)).toBeLessThan(16 * 1024 * 1024);
});

it("A receiver that drips its body, or a push service that floods, holds up no other delivery", async () => {
  const dripping = await startHostileReceiver((socket) => {
    socket.write(ok);
    drip(socket, "1\r\nx\r\n1\r\nx\r\n");
  });
  const pouring = await startHostileReceiver(
    (socket) => pour(socket, ok.replace("200 OK", "410 Gone"), "10\r\n0123456789abcdef\r\n"),
    "local-certificate",
  );
  const hook = await withWebhook(dripping.origin);
  const phone = await withPhone(`${pouring.origin}/push/phone`);
  await hook.ask();
  await phone.ask();
  await sendBatch(sender);
  expect(await hook.delivery()).toMatchObject({ status: "delivered", response_status: 200 });
  expect((await phone.device()).disabled_at).not.toBeNull();
  expect(await untilClosed(pouring)).toBeLessThan(16 * 1024 * 1024);
});

it("A receiver that sends endless early hints is cut off", async () => {
  const receiver = await startHostileReceiver((socket) =>
    pour(socket, "", "HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n"),
  );
  const { ask, delivery } = await withWebhook(receiver.origin);
  await ask();
  await sendBatch(sender);
  const error = expect.stringContaining("said too much");
  expect(await delivery()).toMatchObject({ status: "pending", last_error: error });
});

it("A receiver that drips its headers has ten seconds, and others get their messages at once", async () => {
  const dripping = await startHostileReceiver((socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: "));
  const prompt = await startReceiver("http");
  const slow = await withWebhook(dripping.origin);
  const quick = await withWebhook(prompt.origin);
  runSender();
  await slow.ask();
  await expect.poll(() => dripping.sockets.length).toBe(1);
  await quick.ask();
  await expect.poll(() => prompt.deliveries.length).toBe(1);
  expect(await slow.delivery()).toMatchObject({ status: "pending", last_error: null });
  await untilClosed(dripping);
  const error = expect.stringContaining("did not answer in time");
  await expect.poll(slow.delivery).toMatchObject({ status: "pending", last_error: error });
});

it("Messages of one owner that no one takes do not go before all of another's", async () => {
  const silent = await startHostileReceiver(() => undefined);
  const prompt = await startReceiver("http");
  const { actor, product, story, owner } = await t.seedWorld();
  await createWebhook(actor, { product_id: product.id, url: silent.origin, events: ["question_opened"] });
  await t.query`
      insert into public.agent_questions (product_id, story_id, asked_by, question, expires_at)
      select ${product.id}, ${story.id}, ${owner.id}, 'Which ' || n, now() + interval '1 day' from generate_series(1, 100) n`;
  const { ask } = await withWebhook(prompt.origin);
  await ask();
  const deliveries = await sendDueNotices(sender);
  onTestFinished(async () => void (await Promise.all(deliveries)));
  await expect.poll(() => prompt.deliveries.length).toBe(1);
});

it("A receiver that never answers does not delay the stop, and is sent the message again later", async () => {
  const mute = await startHostileReceiver((socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: "));
  const { ask, delivery } = await withWebhook(mute.origin);
  const stop = runSender();
  await ask();
  await expect.poll(() => mute.sockets.length).toBe(1);
  // It would be given up after ten seconds.
  const before = performance.now();
  await stop();
  expect(performance.now() - before).toBeLessThan(9_000);
  expect(await delivery()).toMatchObject({ status: "pending", attempts: 1 });
  expect(await untilClosed(mute)).toBeLessThan(100);
});

it("A push service with a certificate of another host is sent nothing, private network or not", async () => {
  const stranger = await startHostileReceiver(
    (socket) => socket.end("HTTP/1.1 201 Created\r\n\r\n"),
    "stranger-certificate",
  );
  const { ask, device } = await withPhone(`${stranger.origin}/push/phone`);
  await ask();
  await sendBatch(sender);
  const rows = await t.query`select status, last_error from public.notices order by created_at desc, id limit 1`;
  expect(rows).toEqual([{ status: "PENDING", last_error: expect.stringMatching(/certificate/i) }]);
  expect((await device()).disabled_at).toBeNull();
});

it.each(["https://127.0.0.1;.example.com/x", "https://127.0.0.1'.example.com/x"])(
  "A device whose address names two hosts, %s, is switched off",
  async (endpoint) => {
    const { ask, device } = await withPhone(endpoint);
    await ask();
    await sendBatch({ ...sender, allowPrivateDestinations: false });
    expect(await device()).toMatchObject({
      disabled_at: expect.any(String),
      last_error: expect.stringContaining("names no host"),
    });
  },
);
