import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { openStream } from "../streams/stream-reader";

const t = await createTestDatabase({ realtime: true });
const owner = await t.createUser();
const token = await t.createToken(owner);
const backlog = await t.seedBacklog(owner);

describe("S13 a stop", () => {
  it("A stop lets a request that is under way finish, and takes no new ones", async () => {
    const app = await startTestApp(t);
    const holder = await t.begin();
    await holder.query("select private.lock_product($1)", [backlog.product.id]);

    const underWay = app.request(`/api/tasks/${backlog.task.id}`, {
      method: "PATCH",
      headers: bearer(token),
      body: new Blob(['{"status":"done"}'], { type: "application/json" }),
    });
    await t.untilSomeoneWaits();
    const stopped = app.stop();
    await expect(app.request("/api/health")).rejects.toThrow();
    await holder.query("commit");

    expect((await underWay).status).toBe(200);
    await stopped;
  });

  it("A stop ends open streams cleanly, and leaves none behind", async () => {
    const app = await startTestApp(t);
    const url = `${app.origin}/api/realtime/backlog?product_id=${backlog.product.id}`;
    const readers = await Promise.all(Array.from({ length: 10 }, () => openStream(url, bearer(token))));
    await Promise.all(readers.map((reader) => reader.nextNamed("ready")));
    await app.stop();
    expect(new Set(await Promise.all(readers.map((reader) => reader.ended)))).toEqual(new Set(["clean"]));
    expect(app.services.streams.count).toBe(0);
    expect(app.services.hub.gauges.viewers).toBe(0);
  });

  it("A stop is not delayed by a connection without a request, as browsers open them ahead", async () => {
    const app = await startTestApp(t);
    const silent = connect(app.port, "127.0.0.1");
    await once(silent, "connect");
    expect((await app.request("/api/health")).status).toBe(200);
    // What is under way is cut off after ten seconds.
    const before = Date.now();
    await Promise.all([app.stop(), once(silent, "close")]);
    expect(Date.now() - before).toBeLessThan(9_000);
  });

  it("A stop that is requested twice is done once", async () => {
    const app = await startTestApp(t);
    await Promise.all([app.stop(), app.stop()]);
    await expect(app.request("/api/health")).rejects.toThrow();
  });
});
