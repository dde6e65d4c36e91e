import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { openStream } from "./stream-reader";
import { createTask, createWorld } from "./world";

let begin = () => {};
const begins = new Promise<void>((resolve) => {
  begin = resolve;
});
const { t, app } = await openApp({ realtime: { begins }, compareMs: 60_000 });

it("A stream that began before Realtime followed the database greets again once it does", async () => {
  const w = await createWorld(t);
  const reader = await openStream(
    `${app.origin}/api/realtime/backlog?product_id=${w.productId}`,
    await t.bearerOf(w.member),
  );
  await reader.nextNamed("ready");
  const early = await createTask(t, w.storyId, "before anyone followed");
  begin();
  await reader.nextNamed("ready");
  expect(reader.messages.some(({ data }) => data.id === early)).toBe(false);

  const task = await createTask(t, w.storyId, "followed");
  await reader.nextWhere(({ data }) => data.id === task);
});
