import net from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";
import { createPbi, createStory, createWorld } from "./world";

const { t, app } = await openApp({ realtime: true, variables: { STREAMS_PER_USER: "1000" } });
const w = await createWorld(t);
const token = await t.createToken(w.member);
const path = `/api/realtime/backlog?product_id=${w.productId}`;
const stalled = Number(process.env.STALLED_READERS ?? 20);
const sockets: net.Socket[] = [];

afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

async function stall(): Promise<net.Socket> {
  const socket = net.connect({ port: app.port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${app.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

describe("a reader that stalls (S7)", () => {
  it(`A reader that stalls is cut off at 256 KiB: ${stalled} of them cost nothing more, and others read on`, async () => {
    const reader = await openStream(`${app.origin}${path}`, bearer(token));
    await reader.nextNamed("ready");
    for (let i = 0; i < stalled; i++) await stall();
    await expect.poll(() => app.services.streams.count).toBe(stalled + 1);

    // Loopback sockets swallow several megabytes before anything has to wait.
    const pbiId = await createPbi(t, w.productId);
    const storyId = await createStory(t, { productId: w.productId, pbiId });
    for (let batch = 0; app.services.streams.count > 1; batch++) {
      await t.query`insert into public.tasks (story_id, title)
        select ${storyId}, 'batch ' || ${batch} || ' ' || n from generate_series(1, 2000) as n`;
      await reader.nextWhere(({ data }) => data.entity === "task");
    }
    expect(app.services.streams.count).toBe(1);
    expect(app.logLines.filter((line) => line.includes("stalled"))).toHaveLength(stalled);
    const last = await createStory(t, { productId: w.productId, pbiId, title: "last" });
    await reader.nextWhere(({ data }) => data.id === last);
    reader.close();
    // Ten seconds on its own machine, and as often as long as others share it.
  }, 120_000);
});
