import { createPublicKey } from "node:crypto";
import { importJWK, jwtVerify } from "jose";
import { expect, it } from "vitest";
import webPush from "web-push";
import { addComment } from "~/nouns/comments/operations.server";
import { listPushSubscriptions, subscribePush } from "~/nouns/notices/operations.server";
import { removeProductMember } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { createTestDatabase } from "../setup/database";
import { at } from "../setup/world";
import { createDevice } from "./push-device";
import { startReceiver } from "./receiver";
import { sendBatch, senderOf } from "./send-batch";

const t = await createTestDatabase();
const vapid = { ...webPush.generateVAPIDKeys(), subject: "mailto:operator@example.com" };
const sender = senderOf(t, vapid);

/** Checks the VAPID header as a push service does; returns what it claims. */
async function verifyVapid(authorization: string) {
  const [, token = "", key = ""] = /^vapid t=([^,]+),\s*k=(.+)$/.exec(authorization) ?? [];
  expect(key).toBe(vapid.publicKey);
  const point = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  createPublicKey({ key: jwk, format: "jwk" });
  const { payload } = await jwtVerify(token, await importJWK(jwk, "ES256"));
  return payload;
}

it("A member's devices get an agent's question, readable by the device alone", async () => {
  const receiver = await startReceiver("https");
  const { actor, story } = await t.seedWorld();
  const device = createDevice(`${receiver.origin}/push/phone`);
  await subscribePush(actor, device.subscription);

  const question = await askQuestion(actor, { story_id: story.id, question: "Blue or green?" });
  await sendBatch(sender);

  expect(receiver.deliveries).toHaveLength(1);
  const { headers, body, path } = at(receiver.deliveries, 0);
  expect(path).toBe("/push/phone");
  expect(headers["content-encoding"]).toBe("aes128gcm");
  expect(body.includes("green")).toBe(false);
  expect(device.read(body)).toMatchObject({
    body: "Blue or green?",
    url: `/inbox?show=questions&question=${question.id}`,
  });
  expect(await verifyVapid(String(headers.authorization))).toMatchObject({ aud: receiver.origin, sub: vapid.subject });
});

it("Anyone who has left a product gets no push message about it", async () => {
  const receiver = await startReceiver("https");
  const { actor, product, story } = await t.seedWorld();
  const leaver = await t.createMember(product.id);
  await subscribePush(t.actorOf(leaver), createDevice(`${receiver.origin}/left`).subscription);
  await subscribePush(actor, createDevice(`${receiver.origin}/stays`).subscription);
  const body = `@${leaver.username} a secret`;
  await addComment(actor, { kind: "story", id: story.id, body });
  await askQuestion(actor, { story_id: story.id, question: "Who is here?" });
  await removeProductMember(actor, { product_id: product.id, user_id: leaver.id });
  await sendBatch(sender);
  expect(receiver.deliveries.map(({ path }) => path)).toEqual(["/stays"]);
});

it("A device that the push service calls gone gets no more messages until it subscribes again", async () => {
  const receiver = await startReceiver("https");
  const { actor, story } = await t.seedWorld();
  const { subscription } = createDevice(`${receiver.origin}/push/gone`);
  const { id } = await subscribePush(actor, subscription);
  receiver.answerWith(410);
  await askQuestion(actor, { story_id: story.id, question: "Still there?" });
  await sendBatch(sender);

  const { subscriptions } = await listPushSubscriptions(actor);
  expect(at(subscriptions, 0).disabled_at).not.toBeNull();
  await askQuestion(actor, { story_id: story.id, question: "And now?" });
  await sendBatch(sender);
  expect(receiver.deliveries).toHaveLength(1);
  await subscribePush(actor, subscription);
  expect((await listPushSubscriptions(actor)).subscriptions).toMatchObject([{ id, disabled_at: null }]);
});

it("D6: A push message is never sent to a private address", async () => {
  const receiver = await startReceiver("https");
  const { actor, story } = await t.seedWorld();
  await subscribePush(actor, createDevice(`${receiver.origin}/push/inside`).subscription);
  await askQuestion(actor, { story_id: story.id, question: "Anyone?" });
  await sendBatch({ ...sender, allowPrivateDestinations: false });
  expect(receiver.deliveries).toEqual([]);
});
