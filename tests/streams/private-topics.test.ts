import type { RealtimeChannel } from "@supabase/supabase-js";
import { afterAll, expect, it } from "vitest";
import { dataApi, tokenOf } from "../setup/data-api";
import { createTestDatabase } from "../setup/database";
import type { TestUser } from "../setup/world";
import { createTask, createWorld, removeMember } from "./world";

const t = await createTestDatabase({ realtime: {} });
const w = await createWorld(t);
const channels: RealtimeChannel[] = [];

afterAll(async () => {
  for (const channel of channels) await channel.unsubscribe();
});

/** Joins a private topic with the JWT of a user, past all our routes. */
async function join(user: TestUser | null, topic: string) {
  const client = await dataApi(t, user);
  if (user) await client.realtime.setAuth(await tokenOf(t, user));
  const channel = client.channel(topic, { config: { private: true } });
  channels.push(channel);
  const received = new Promise<unknown>((resolve) => {
    channel.on("broadcast", { event: "change" }, ({ payload }) => resolve(payload));
  });
  const status = await new Promise<string>((resolve) => channel.subscribe(resolve));
  return { channel, received, status };
}

it.each([
  ["a member joins the product", () => join(w.member, `product:${w.productId}`), "SUBSCRIBED"],
  ["the owner joins the product", () => join(w.owner, `product:${w.productId}`), "SUBSCRIBED"],
  ["a stranger does not", () => join(w.stranger, `product:${w.productId}`), "CHANNEL_ERROR"],
  ["no one does", () => join(null, `product:${w.productId}`), "CHANNEL_ERROR"],
  ["a user joins their own topic", () => join(w.member, `user:${w.member.id}`), "SUBSCRIBED"],
  ["and no other's", () => join(w.member, `user:${w.owner.id}`), "CHANNEL_ERROR"],
  ["no user joins a pairing", () => join(w.owner, `pairing:${w.productId}`), "CHANNEL_ERROR"],
  ["no user joins a made-up topic", () => join(w.owner, "product:"), "CHANNEL_ERROR"],
])("Joining a private topic: %s", async (_name, attempt, expected) => {
  expect((await attempt()).status).toBe(expected);
});

it("A removed member can no longer join the product's topic (S1)", async () => {
  const other = await createWorld(t);
  expect((await join(other.member, `product:${other.productId}`)).status).toBe("SUBSCRIBED");
  await removeMember(t, other.productId, other.member.id);
  expect((await join(other.member, `product:${other.productId}`)).status).toBe("CHANNEL_ERROR");
});

it("What a client sends to a topic reaches no one: events come from the database alone (A9)", async () => {
  const listener = await join(w.owner, `product:${w.productId}`);
  const sender = await join(w.member, `product:${w.productId}`);
  await sender.channel.send({ type: "broadcast", event: "change", payload: { forged: true } });
  const taskId = await createTask(t, w.storyId);
  expect(await listener.received).toMatchObject({ events: [{ entity: "task", id: taskId }] });
});
