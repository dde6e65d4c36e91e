import { describe, expect, it } from "vitest";
import { readEnv } from "~/env.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";
import { createTask, createWorld } from "./world";

const t = await createTestDatabase({ realtime: true });
const w = await createWorld(t);
const token = await t.createToken(w.member);
const limits = readEnv({ NODE_ENV: "production" }).streamLimits;

async function connect(streamLimits: Partial<typeof limits>) {
  const app = await startTestApp(t, { env: { streamLimits: { ...limits, ...streamLimits } } });
  const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
  const reader = await openStream(url, bearer(token));
  return { app, reader, url };
}

describe("the clocks of a stream (S11)", () => {
  it("A stream has a heartbeat every 25 seconds and a lifetime of 240 seconds", () => {
    expect(limits).toMatchObject({ heartbeatSeconds: 25, lifetimeSeconds: 240 });
  });

  it("A stream sends the comment `: heartbeat` again and again", async () => {
    const { reader } = await connect({ heartbeatSeconds: 0.05 });
    await expect.poll(() => reader.comments.length).toBeGreaterThanOrEqual(2);
    expect(new Set(reader.comments)).toEqual(new Set([": heartbeat"]));
  });

  it("A stream ends cleanly when its lifetime is over, and so does all that belongs to it", async () => {
    const { app, reader } = await connect({ lifetimeSeconds: 1 });
    expect(await reader.ended).toBe("clean");
    expect(app.services.streams.count).toBe(0);
    expect(app.services.hub.gauges.viewers).toBe(0);
  });
});

it("A stream that is opened again starts with ready and replays nothing by itself", async () => {
  const { reader, url } = await connect({});
  await reader.nextNamed("ready");
  const taskId = await createTask(t, w.storyId);
  await reader.nextWhere(({ data }) => data.id === taskId);
  reader.close();
  await reader.ended;
  const again = await openStream(url, bearer(token));
  expect(await again.next()).toMatchObject({ event: "ready", data: { product_id: w.productId } });
  // What is written now comes first: nothing of what was before it.
  const next = await createTask(t, w.storyId, "next");
  expect(await again.next()).toMatchObject({ data: { op: "I", entity: "task", id: next } });
});

it("A stream opened again with Last-Event-ID brings the missed messages, after a ready that says so", async () => {
  const { reader, url } = await connect({});
  await reader.nextNamed("ready");
  const seen = await createTask(t, w.storyId, "seen");
  const last = await reader.nextWhere(({ data }) => data.id === seen);
  reader.close();
  await reader.ended;
  const missed = await createTask(t, w.storyId, "missed");
  const witness = await openStream(url, bearer(token));
  await witness.nextNamed("ready");

  const again = await openStream(url, { ...bearer(token), "last-event-id": last.id ?? "" });
  const ready = await again.next();
  expect(ready).toMatchObject({ event: "ready", data: { resumed: true } });
  expect(await again.next()).toMatchObject({ data: { op: "I", entity: "task", id: missed } });
  again.close();
  // The connection may end right after `ready`: what follows it was not received then.
  const once = await openStream(url, { ...bearer(token), "last-event-id": ready.id ?? "" });
  expect(await once.next()).toMatchObject({ event: "ready", data: { resumed: true } });
  expect(await once.next()).toMatchObject({ data: { op: "I", entity: "task", id: missed } });
});

it.each(["unknown.5", "nonsense", "1"])("A stream with the unknown Last-Event-ID %s begins as usual", async (id) => {
  const { url } = await connect({});
  const again = await openStream(url, { ...bearer(token), "last-event-id": id });
  const ready = await again.next();
  expect(ready.data).toEqual({ product_id: w.productId });
  expect(ready.id).not.toBeNull();
});
