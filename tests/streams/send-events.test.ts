import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";
import { announcements, sentEvents } from "./announcements";
import { createWorld, insert, type World } from "./world";

const t = await createTestDatabase();
const { announced, eventsOf } = announcements(t);

let w: World;
beforeEach(async () => {
  w = await createWorld(t);
  await t.query`truncate realtime.messages`;
});

it("Equal payloads of one transaction are numbered apart (S5)", async () => {
  await t.query`do $$ begin for i in 1..10 loop perform private.emit('product:x',
      '{"op":"U","entity":"task","id":"1","product_id":"x"}'); end loop; end $$`;
  const numbers = (await announced("product:x")).map(({ payload }) => payload.seq);
  expect(new Set(numbers).size).toBe(10);
});

it("A transaction sends one message a topic at its end, in the order of the changes", async () => {
  const client = await t.begin();
  for (const title of ["One", "Two", "Three"]) {
    await client.query("update public.tasks set title = $1 where id = $2", [title, w.taskId]);
  }
  expect(await announced()).toEqual([]);
  await client.query("commit");
  const rows = await t.query`select topic from realtime.messages`;
  expect(rows).toEqual([{ topic: `product:${w.productId}` }]);
  const titles = (await eventsOf(w.productId, "task")).map((event) => event.task_title);
  expect(titles).toEqual(["One", "Two", "Three"]);
});

it("A transaction's message leaves out what a savepoint took back", async () => {
  const client = await t.begin();
  const rename = (title: string) => client.query("update public.tasks set title = $1 where id = $2", [title, w.taskId]);
  await client.query("savepoint before");
  await rename("Taken back");
  await client.query("rollback to before");
  await rename("Kept");
  await client.query("commit");
  expect((await eventsOf(w.productId, "task")).map((event) => event.task_title)).toEqual(["Kept"]);
});

it("A long write is cut into messages that Realtime carries, and nothing is lost", async () => {
  await t.query`insert into public.tasks (story_id, code, title)
      select ${w.storyId}, 'LONG-' || n, repeat('x', 200) from generate_series(1, 400) n`;
  const rows = await t.query`select count(*)::int as messages,
      max(octet_length(payload::text)) as longest from realtime.messages
      where topic like 'product:%'`;
  expect(rows[0].messages).toBeGreaterThan(1);
  expect(rows[0].messages).toBeLessThan(20);
  expect(rows[0].longest).toBeLessThan(30_000);
  const codes = new Set((await eventsOf(w.productId, "task")).map((event) => event.id));
  expect(codes.size).toBe(400);
});

it("An event stays under 8,000 bytes by cutting its texts only (S6)", async () => {
  await t.sql.query("select private.emit('product:x', $1)", [
    JSON.stringify({ op: "U", entity: "task", id: "1", product_id: "x", task_title: "\u0001".repeat(5000) }),
  ]);
  const { rows } = await t.sql.query(
    `select octet_length(payload::text) as size, length(payload ->> 'task_title') as characters from (${sentEvents}) sent`,
  );
  expect(rows[0].characters).toBe(500);
  expect(rows[0].size).toBeLessThan(8000);
});

it("A writer does not fail, no matter what happens to the event (S6)", async () => {
  const admin = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await admin.connect();
  await admin.query("alter function realtime.send(jsonb, text, text, boolean) rename to sent");
  try {
    await t.query`update public.tasks set title = 'Kept' where id = ${w.taskId}`;
  } finally {
    await admin.query("alter function realtime.sent(jsonb, text, text, boolean) rename to send");
    await admin.end();
  }
  const rows = await t.query`select title from public.tasks where id = ${w.taskId}`;
  expect(rows).toEqual([{ title: "Kept" }]);
});

it("Clients cannot send events: no one but the triggers may (A9)", async () => {
  const rows = await t.query`
      select has_function_privilege(r, 'private.emit(text, jsonb)', 'execute') as may
      from unnest(array['anon', 'authenticated', 'service_role']) as r`;
  expect(rows).toEqual([{ may: false }, { may: false }, { may: false }]);
  const policies = await t.query`select cmd from pg_policies where schemaname = 'realtime' and tablename = 'messages'`;
  expect(policies).toEqual([{ cmd: "SELECT" }]);
});

it("An update that changes nothing in a task sends no event", async () => {
  await t.query`update public.tasks set title = title where id = ${w.taskId}`;
  expect(await announced()).toEqual([]);
});

it("Events of tasks and stories carry sprint and assignee also when the whole PBI is deleted", async () => {
  await t.query`delete from public.pbis where id = ${w.pbiId}`;
  const events = await announced(`product:${w.productId}`);
  const deleted = events.map(({ payload }) => payload).filter(({ op }) => op === "D");
  const place = { pbi_id: w.pbiId, sprint_id: w.sprintId, assignee_id: w.member.id };
  expect(deleted).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ entity: "task", id: w.taskId, ...place }),
      expect.objectContaining({ entity: "story", id: w.storyId, ...place }),
      expect.objectContaining({ entity: "pbi", id: w.pbiId }),
    ]),
  );
  expect(deleted).toHaveLength(3);
});

it("A user is notified of the end of a session and of a token, and of nothing else about them", async () => {
  const user = await t.createUser();
  const sessionId = await insert(
    t,
    "insert into public.user_sessions (user_id, expires_at) values ($1, now() + interval '1 day')",
    [user.id],
  );
  const tokenId = await insert(
    t,
    "insert into public.api_tokens (user_id, label, prefix, token_hash) values ($1, 'x', 'blm_x', sha256($2::bytea))",
    [user.id, sessionId],
  );
  await t.query`update public.user_sessions set last_seen_at = now(),
      expires_at = expires_at + interval '1 day' where id = ${sessionId}`;
  await t.query`update public.api_tokens set last_used_at = now() where id = ${tokenId}`;
  expect(await announced(`user:${user.id}`)).toEqual([]);

  await t.query`update public.user_sessions set revoked_at = now() where id = ${sessionId}`;
  await t.query`delete from public.api_tokens where id = ${tokenId}`;
  expect(await announced(`user:${user.id}`)).toMatchObject([
    { payload: { op: "D", entity: "session", id: sessionId } },
    { payload: { op: "D", entity: "api_token", id: tokenId } },
  ]);
});
