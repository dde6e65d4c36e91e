import { describe, expect, it } from "vitest";
import { readEnv } from "~/env.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { openStream } from "./stream-reader";
import { createWorld } from "./world";

const t = await createTestDatabase({ realtime: true });
const w = await createWorld(t);
const member = await t.bearerOf(w.member);
const owner = await t.bearerOf(w.owner);
const path = `/api/realtime/backlog?product_id=${w.productId}`;

async function connect(origin: string, headers: HeadersInit) {
  const reader = await openStream(`${origin}${path}`, headers);
  return reader;
}

describe("how many streams may be open at once (S9)", () => {
  it("A user may have 50 open streams and a process 20,000 unless configured", () => {
    const { streamLimits } = readEnv({ NODE_ENV: "production" });
    expect(streamLimits).toMatchObject({ perUser: 50, perProcess: 20_000 });
    const configured = readEnv({ STREAMS_PER_USER: "2", STREAMS_PER_PROCESS: "3" }).streamLimits;
    expect(configured).toMatchObject({ perUser: 2, perProcess: 3 });
  });

  it("One stream more than a user may have is 429 with Retry-After, and a closed one makes room", async () => {
    const app = await startTestApp(t, { variables: { STREAMS_PER_USER: "2" } });
    const first = await connect(app.origin, member);
    await connect(app.origin, member);
    const refused = await app.request(path, { headers: member });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ code: 429 });
    expect((await connect(app.origin, owner)).status).toBe(200);

    first.close();
    await first.ended;
    await expect.poll(() => app.services.streams.count).toBe(2);
    expect((await connect(app.origin, member)).status).toBe(200);
  });

  it("One stream more than the process may have is 429 for anyone", async () => {
    const app = await startTestApp(t, { variables: { STREAMS_PER_PROCESS: "1" } });
    await connect(app.origin, member);
    expect((await app.request(path, { headers: owner })).status).toBe(429);
  });

  it("A refused stream takes no place and no subscription", async () => {
    const app = await startTestApp(t, { variables: { STREAMS_PER_USER: "1" } });
    await connect(app.origin, member);
    for (let i = 0; i < 5; i++) await app.request(path, { headers: member });
    expect(app.services.streams.count).toBe(1);
    expect(app.services.hub.gauges).toMatchObject({ topics: 2, viewers: 2 });
  });

  it("Many viewers of a topic share one upstream subscription", async () => {
    const app = await startTestApp(t);
    const readers = await Promise.all(Array.from({ length: 20 }, () => connect(app.origin, member)));
    await Promise.all(readers.map((reader) => reader.nextNamed("ready")));
    expect(app.services.hub.gauges).toEqual({ topics: 2, viewers: 40 });
  });
});
