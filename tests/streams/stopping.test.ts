import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";
import { createWorld } from "./world";

const t = await createTestDatabase({ realtime: true });
const w = await createWorld(t);
const token = await t.createToken(w.member);

describe("a process that is asked to stop (S13)", () => {
  it("ends its streams cleanly and leaves none behind", async () => {
    const app = await startTestApp(t);
    const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
    const readers = await Promise.all(
      Array.from({ length: 10 }, () => openStream(url, bearer(token))),
    );
    await Promise.all(readers.map((reader) => reader.nextNamed("ready")));

    const stopped = app.stop();
    const outcomes = await Promise.all(readers.map((reader) => reader.ended));
    expect(new Set(outcomes)).toEqual(new Set(["clean"]));
    await stopped;
    expect(app.services.streams.count).toBe(0);
    expect(app.services.hub.gauges.viewers).toBe(0);
  });
});
