import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { followMessages } from "../../supabase/embedded/realtime/feed";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase({ realtime: true });

function join(topic: string) {
  const heard: unknown[] = [];
  const leave = t.supabase.upstream?.join(topic, {
    joined: () => heard.push("joined"),
    lost: () => heard.push("lost"),
    message: (payload) => heard.push(payload),
  });
  afterAll(() => leave?.());
  return { heard, leave: () => leave?.() };
}

function send(topic: string, payload: unknown, isPrivate = true) {
  return t.query`select realtime.send(${JSON.stringify(payload)}::jsonb, 'change', ${topic}, ${isPrivate})`;
}

it("A subscriber hears what realtime.send writes, with an id added", async () => {
  const { heard } = join("pairing:x");
  await send("pairing:x", { n: 1 });
  await send("pairing:x", { n: 2, id: "mine" });
  const first = { n: 1, id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  await expect.poll(() => heard).toEqual(["joined", first, { n: 2, id: "mine" }]);
});

it("A subscriber hears all messages of one transaction, in order, and nothing after leaving", async () => {
  const many = join("pairing:many");
  const stays = join("pairing:many");
  await t.query`
      select realtime.send(jsonb_build_object('n', n, 'id', 'x'), 'change', 'pairing:many', true)
      from generate_series(1, 50) n order by n`;
  const all = Array.from({ length: 50 }, (_, index) => ({ n: index + 1, id: "x" }));
  await expect.poll(() => many.heard).toEqual(["joined", ...all]);
  many.leave();
  await send("pairing:many", { n: 51 });
  await expect.poll(() => stays.heard).toHaveLength(52);
  expect(many.heard).toHaveLength(51);
});

it("A subscriber hears no public message, no other event and no message of another topic", async () => {
  const { heard } = join("pairing:quiet");
  await send("pairing:quiet", { n: 1 }, false);
  await send("pairing:other", { n: 2 });
  await t.query`select realtime.send('{}'::jsonb, 'other', 'pairing:quiet', true)`;
  await send("pairing:quiet", { n: 3, id: "x" });
  await expect.poll(() => heard).toEqual(["joined", { n: 3, id: "x" }]);
});

it("A subscriber hears when the feed of the database is lost, and when it is back", async () => {
  const { heard } = join("pairing:cut");
  await interruptFeed();
  await expect.poll(() => heard).toEqual(["joined", "lost", "joined"]);
  await send("pairing:cut", { after: true, id: "x" });
  await expect.poll(() => heard.at(-1)).toEqual({ after: true, id: "x" });
});

it("The feed begins once others' transactions have ended, no matter how long they take", async () => {
  const other = await t.sql.connect();
  await other.query("begin; select pg_current_xact_id()");
  const heard: string[] = [];
  const feed = followMessages(
    t.urlFor("supabase_replication_admin"),
    {
      onMessage: ({ topic }) => void heard.push(topic),
      onInterruption: () => void heard.push("interruption"),
      onReturn: () => void heard.push("return"),
    },
    10,
  );
  const waiting = async () =>
    await t.query`select active_pid from pg_replication_slots
        where database = current_database()
          and active_pid in (select pid from pg_locks where not granted)`;
  try {
    await expect.poll(waiting).toHaveLength(1);
    const first = await waiting();
    // Far more than the questions in a row that mean a lost connection later.
    await pause(500);
    expect([await waiting(), heard]).toEqual([first, []]);
    await other.query("rollback");
    await feed.begun;
    await send("pairing:begun", {});
    await expect.poll(() => heard).toEqual(["return", "pairing:begun"]);
  } finally {
    other.release(true);
    await feed.stop();
  }
});

it("The feed can be stopped while it waits to begin", async () => {
  const other = await t.sql.connect();
  await other.query("begin; select pg_current_xact_id()");
  const listener = { onMessage() {}, onInterruption() {}, onReturn() {} };
  const feed = followMessages(t.urlFor("supabase_replication_admin"), listener);
  const begun = expect(feed.begun).rejects.toThrow();
  await feed.stop();
  await begun;
  other.release(true);
});

it("The feed keeps no replication slot once it has stopped", async () => {
  const other = await createTestDatabase({ realtime: true });
  const slots = "select count(*)::int as n from pg_replication_slots where database = $1";
  const name = (await other.query`select current_database() as name`)[0].name;
  expect((await t.sql.query(slots, [name])).rows[0].n).toBe(1);
  await other.supabase.stop();
  await expect.poll(async () => (await t.sql.query(slots, [name])).rows[0].n).toBe(0);
});

it("realtime.send turns its own errors into warnings, so that no writer fails because of an event", async () => {
  const client = await t.sql.connect();
  const notices: string[] = [];
  client.on("notice", (notice) => notices.push(notice.message ?? ""));
  await client.query("begin; select realtime.send('[1]'::jsonb, 'change', null, true); commit");
  client.release();
  expect(notices.join()).toContain("ErrorSendingBroadcastMessage");
});

it("A user cannot send messages to anyone with realtime.send", async () => {
  const client = await t.begin();
  await client.query("set local role authenticated");
  await client.query("select realtime.send('{}'::jsonb, 'change', 'user:x', true)");
  const { rows } = await client
    .query("reset role; select 1")
    .then(() => client.query("select count(*)::int as n from realtime.messages where topic = 'user:x'"));
  expect(rows[0].n).toBe(0);
});

async function interruptFeed(): Promise<void> {
  const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()`,
  );
  await client.end();
}
