import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { startTcpProxy } from "../setup/tcp-proxy";
import { openStream, type StreamReader } from "./stream-reader";
import { createTask, createWorld, type World } from "./world";

const t = await createTestDatabase({ realtime: {} });
const proxy = await startTcpProxy(Number(new URL(t.supabase.supabaseUrl).port));
const database = connectDatabase({ ...t.supabase, supabaseUrl: `http://127.0.0.1:${proxy.port}` });
const app = await startTestApp({ ...t, database });

let w: World;

beforeEach(async () => {
  w = await createWorld(t);
});

afterEach(() => {
  proxy.allow();
});

afterAll(async () => {
  await app.stop();
  await database.close();
  await proxy.close();
});

async function connect(path: string, headers: HeadersInit): Promise<StreamReader> {
  const reader = await openStream(`${app.origin}/api/realtime/${path}`, headers);
  return reader;
}

/** One stream of each kind, each past its greeting. */
async function connectAll() {
  const headers = await t.bearerOf(w.member);
  const query = `?product_id=${w.productId}`;
  const [backlog, solo, notifications] = await Promise.all([
    connect(`backlog${query}`, headers),
    connect(`solo${query}`, headers),
    connect("notifications", { cookie: await app.signIn(w.member) }),
  ]);
  await backlog.nextNamed("ready");
  await solo.nextNamed("workers");
  await notifications.nextNamed("state");
  return { backlog, solo, notifications };
}

type Streams = Awaited<ReturnType<typeof connectAll>>;

/** Every stream greets again, and what is written afterwards arrives. */
async function expectRecovery({ backlog, solo, notifications }: Streams): Promise<void> {
  await Promise.all([backlog.nextNamed("ready"), solo.nextNamed("ready"), notifications.nextNamed("state")]);
  const taskId = await createTask(t, w.storyId, "after the gap");
  await Promise.all([backlog, solo].map((reader) => reader.nextWhere(({ data }) => data.id === taskId)));
}

describe("after the source of changes was away, every open stream greets again (S3)", () => {
  it("Every open stream greets again after the connection to Realtime was cut", async () => {
    const streams = await connectAll();
    proxy.cut();
    await expectRecovery(streams);
  });

  it("Every open stream greets again after Realtime was gone for a while and changes were missed", async () => {
    const streams = await connectAll();
    proxy.refuse();
    await streams.backlog.nextNamed("error");
    const missed = await createTask(t, w.storyId, "missed");
    proxy.allow();
    await expectRecovery(streams);
    expect(streams.backlog.messages.some(({ data }) => data.id === missed)).toBe(false);
  });

  it("Every open stream greets again after a half-open connection, which is noticed", async () => {
    const streams = await connectAll();
    proxy.freeze();
    await createTask(t, w.storyId, "lost in the dead connection");
    await streams.backlog.nextNamed("error");
    await expectRecovery(streams);
  });
});

it("A stream opened while Realtime is away says so with error, and greets when it is back", async () => {
  proxy.refuse();
  const headers = await t.bearerOf(w.member);
  const reader = await connect(`backlog?product_id=${w.productId}`, headers);
  expect(reader.status).toBe(200);
  const failure = await reader.next();
  expect(failure).toMatchObject({ event: "error", data: { error: expect.any(String) } });
  proxy.allow();
  expect(await reader.next()).toMatchObject({ event: "ready" });
});
