import pg from "pg";
import { afterAll, expect, it } from "vitest";
import type { Database } from "~/db/database.server";
import { startTestApp, type TestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { openStream, type StreamReader } from "./stream-reader";
import { createTask, createWorld } from "./world";

let dropped = 0;
let toDrop = 0;
const t = await createTestDatabase({
  realtime: {
    drops: () => {
      if (toDrop === 0) return false;
      toDrop -= 1;
      dropped += 1;
      return true;
    },
  },
});
const app = await startTestApp(t);
let looks = 0;
const counting: Database = {
  ...t.database,
  call(name, values) {
    if (name === "list_sent_messages") looks += 1;
    return t.database.call(name, values);
  },
};
// Far longer than an event takes on a busy machine: one that is missing at two looks in a row counts as lost.
const quick = await startTestApp(t, { compareMs: 1500, database: counting });
const admin = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
await admin.connect();
const w = await createWorld(t);
const headers = await t.bearerOf(w.member);

afterAll(() => admin.end());

async function read(from: TestApp, path: string, more: HeadersInit = {}): Promise<StreamReader> {
  const url = `${from.origin}/api/realtime/${path}?product_id=${w.productId}`;
  const reader = await openStream(url, { ...headers, ...more });
  await reader.nextNamed("ready");
  return reader;
}

/** Writes a task whose event never comes, and one whose event does. */
async function loseOne(readers: StreamReader[]): Promise<string> {
  toDrop = 1;
  const lost = await createTask(t, w.storyId, "lost on the way");
  await expect.poll(() => toDrop).toBe(0);
  const heard = await createTask(t, w.storyId, "heard");
  await Promise.all(readers.map((reader) => reader.nextWhere(({ data }) => data.id === heard)));
  return lost;
}

it("A message that Realtime drops is noticed, and every stream of the topic greets again", async () => {
  const readers = await Promise.all([read(app, "backlog"), read(app, "solo")]);
  const lost = await loseOne(readers);
  await Promise.all(readers.map((reader) => reader.nextNamed("ready")));
  for (const { messages } of readers) {
    expect(messages.some(({ data }) => data.id === lost)).toBe(false);
    expect(messages.filter(({ event }) => event === "ready")).toHaveLength(2);
  }
});

it("A reader who returns from before a dropped message is told to read the state", async () => {
  const reader = await read(quick, "backlog");
  const before = await createTask(t, w.storyId, "before");
  const { id } = await reader.nextWhere(({ data }) => data.id === before);
  await loseOne([reader]);
  await reader.nextNamed("ready");

  const back = await read(quick, "backlog", { "last-event-id": id ?? "" });
  expect(back.messages[0]?.data).not.toHaveProperty("resumed");
});

it("A reader who was away while all others learned of a dropped message is told to read the state", async () => {
  const reader = await read(quick, "backlog");
  const before = await createTask(t, w.storyId, "before");
  const { id } = await reader.nextWhere(({ data }) => data.id === before);
  await loseOne([reader]);
  reader.close();
  await read(quick, "backlog");
  const began = looks;
  await expect.poll(() => looks).toBeGreaterThan(began + 3);

  const back = await read(quick, "backlog", { "last-event-id": id ?? "" });
  expect(back.messages[0]?.data).not.toHaveProperty("resumed");
});

it("No stream is greeted again while no message was dropped", async () => {
  const reader = await read(quick, "backlog");
  for (let n = 0; n < 5; n++) {
    const task = await createTask(t, w.storyId, `quiet ${n}`);
    await reader.nextWhere(({ data }) => data.id === task);
  }
  const greetings = () => reader.messages.filter(({ event }) => event === "ready").length;
  const first = { looks, greetings: greetings() };
  await expect.poll(() => looks).toBeGreaterThan(first.looks + 2);
  expect(greetings()).toBe(first.greetings);
  expect(dropped).toBe(3);
});

it("A replication silently lost and made again is noticed, and streams greet again", async () => {
  const reader = await read(quick, "backlog");
  await admin.query("begin");
  await admin.query("insert into public.tasks (story_id, title) values ($1, 'meanwhile')", [w.storyId]);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'backloom realtime'`,
  );
  await admin.query("commit");
  await reader.nextNamed("ready");
  expect(reader.messages.some(({ event }) => event === "error")).toBe(false);

  const after = await createTask(t, w.storyId, "after");
  await reader.nextWhere(({ data }) => data.id === after);
});
