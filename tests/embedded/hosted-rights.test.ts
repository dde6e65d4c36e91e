import { expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

it.each([
  ["an index on Realtime's table", "create index on realtime.messages (topic)"],
  ["another column", "alter table realtime.messages add column x integer"],
  ["a function of its own there", "create function realtime.x() returns int language sql return 1"],
  ["a table of its own there", "create table realtime.x (id integer)"],
  ["to become the owner", "set role supabase_realtime_admin"],
  ["an index on Auth's table", "create index on auth.users (phone)"],
  ["a function in Auth's schema", "create function auth.x() returns int language sql return 1"],
])("The role postgres is refused %s, as on a hosted project", async (_what, statement) => {
  await expect(t.sql.query(statement)).rejects.toMatchObject({ code: "42501" });
});

it("The role postgres may make policies on realtime.messages and triggers on auth.users", async () => {
  const client = await t.begin();
  await client.query("create policy a on realtime.messages for select to anon using (false)");
  await client.query("alter policy a on realtime.messages using (true)");
  await client.query("drop policy a on realtime.messages");
  await client.query(
    `create trigger a after insert on auth.users for each row
       execute function private.tg_auth_users__create_profile()`,
  );
});

it("New objects of postgres are closed to people by default, and only tables are open to the service", async () => {
  await t.query`create table public.of_another_app (id integer generated always as identity)`;
  await t.query`create function public.of_another_app() returns integer language sql return 1`;
  const rows = await t.query`select r.role,
        has_table_privilege(r.role, 'public.of_another_app', 'select') as reads,
        has_function_privilege(r.role, 'public.of_another_app()', 'execute') as calls
      from unnest(array['anon', 'authenticated', 'service_role']) as r (role)`;
  expect(rows).toEqual([
    { role: "anon", reads: false, calls: false },
    { role: "authenticated", reads: false, calls: false },
    { role: "service_role", reads: true, calls: false },
  ]);
});

it("The table realtime.messages is partitioned by day, with days made ahead", async () => {
  const rows = await t.query<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'realtime.messages'::regclass order by 1`;
  const today = new Date().toISOString().slice(0, 10).replaceAll("-", "_");
  expect(rows.map(({ name }) => name)).toContain(`realtime.messages_${today}`);
  expect(rows).toHaveLength(5);
});
