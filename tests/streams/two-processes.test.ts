import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase, openDatabase } from "../setup/database";
import { openStream } from "./stream-reader";
import { createWorld } from "./world";

const t = await createTestDatabase({ realtime: true });
const first = await startTestApp(t);
const second = await startTestApp({ ...t, database: openDatabase(t.supabase, "direct") });

describe("two app processes on one database", () => {
  it("a write through one reaches the streams of the other", async () => {
    const w = await createWorld(t);
    const headers = await t.bearerOf(w.member);
    const path = `/api/realtime/solo?product_id=${w.productId}`;
    const readers = await Promise.all(
      [first, second].map((app) => openStream(`${app.origin}${path}`, headers)),
    );
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
});
