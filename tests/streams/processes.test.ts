import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase, openDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";
import { createWorld } from "./world";

const t = await createTestDatabase({ realtime: true });
const first = await startTestApp(t);
const second = await startTestApp({ ...t, database: openDatabase(t.supabase, "direct") });

it("A write through one app process reaches the streams of another", async () => {
  const w = await createWorld(t);
  const headers = await t.bearerOf(w.member);
  const path = `/api/realtime/solo?product_id=${w.productId}`;
  const readers = await Promise.all([first, second].map((app) => openStream(`${app.origin}${path}`, headers)));
  await Promise.all(readers.map((reader) => reader.nextNamed("workers")));

  for (const [app, status] of [
    [first, "in_progress"],
    [second, "done"],
  ] as const) {
    const answer = await app.send("PATCH", `/api/tasks/${w.taskId}`, { status }, headers);
    expect(answer.status).toBe(200);
    for (const reader of readers) {
      const { data } = await reader.nextWhere((message) => message.data.id === w.taskId);
      expect(data.task_status).toBe(status.toUpperCase());
    }
  }
  for (const reader of readers) reader.close();
});

describe("a process that is asked to stop (S13)", () => {
  it("A process that is asked to stop ends its streams cleanly and leaves none behind", async () => {
    const w = await createWorld(t);
    const token = await t.createToken(w.member);
    const app = await startTestApp(t);
    const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
    const readers = await Promise.all(Array.from({ length: 10 }, () => openStream(url, bearer(token))));
    await Promise.all(readers.map((reader) => reader.nextNamed("ready")));

    const stopped = app.stop();
    const outcomes = await Promise.all(readers.map((reader) => reader.ended));
    expect(new Set(outcomes)).toEqual(new Set(["clean"]));
    await stopped;
    expect(app.services.streams.count).toBe(0);
    expect(app.services.hub.gauges.viewers).toBe(0);
  });
});
