import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createApiToken } from "~/nouns/api-tokens/operations.server";
import { dataApi } from "../setup/data-api";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const [owner, stranger] = [await t.createUser(), await t.createUser()];
const demo = await t.createUser({ demo: true });
const admin = await t.createUser({ role: "ADMIN" });
const session = randomUUID();
await t.query`insert into public.user_sessions (id, user_id, expires_at)
  values (${session}, ${owner.id}, now() + interval '1 day')`;
const token = await createApiToken(t.actorOf(owner), { label: "mine" });

const tables = [
  "users",
  "user_sessions",
  "api_tokens",
  "login_pairings",
  "rate_limit_counters",
  "audit_events",
] as const;

async function snapshot(): Promise<string> {
  const parts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await t.sql.query(`select r::text as row from public.${table} r order by 1`);
      return rows.map(({ row }) => row).join("\n");
    }),
  );
  return parts.join("\n\n");
}

it("D1: The account tables show an anonymous client nothing", async () => {
  const api = await dataApi(t, null);
  for (const table of tables) {
    const { data } = await api.from(table).select("id");
    expect(data ?? []).toEqual([]);
  }
});

it("D2: The account tables show a user their own rows, no hash, and no one's email address or flag", async () => {
  const own = await dataApi(t, owner);
  const other = await dataApi(t, stranger);
  expect((await own.from("user_sessions").select("id")).data).toEqual([{ id: session }]);
  expect((await other.from("user_sessions").select("id")).data).toEqual([]);
  expect((await own.from("api_tokens").select("id")).data).toEqual([{ id: token.id }]);
  expect((await other.from("api_tokens").select("id")).data).toEqual([]);
  expect((await own.from("api_tokens").select("token_hash")).error).not.toBeNull();
  expect((await own.from("users").select("id")).data).toEqual([{ id: owner.id }]);
  for (const column of ["email", "must_reset_password", "avatar", "min_quota_pct"]) {
    expect((await own.from("users").select(column)).error, column).not.toBeNull();
  }
  for (const table of ["login_pairings", "rate_limit_counters"] as const) {
    expect((await own.from(table).select("*")).data ?? []).toEqual([]);
  }
  const audit = await other.from("audit_events").select("id");
  expect(audit.data).toEqual([]);
  expect((await (await dataApi(t, admin)).from("audit_events").select("id")).data?.length).toBe(1);
});

it("The account tables cannot be written by anyone over the Data API", async () => {
  const before = await snapshot();
  for (const who of [owner, stranger, demo, admin]) {
    const api = await dataApi(t, who);
    for (const table of tables) {
      const inserted = await api.from(table).insert({ id: randomUUID() });
      expect(inserted.error, `insert ${table}`).not.toBeNull();
      const updated = await api.from(table).update({ created_at: "2020-01-01" }).neq("id", session);
      expect(updated.error, `update ${table}`).not.toBeNull();
      const deleted = await api.from(table).delete().neq("id", session);
      expect(deleted.error, `delete ${table}`).not.toBeNull();
    }
  }
  expect(await snapshot()).toBe(before);
});

it("Administration is for administrators only", async () => {
  for (const who of [owner, stranger]) {
    const promotion = { p_user_id: who.id, p_role: "ADMIN" };
    for (const [operation, values] of [
      ["admin_list_users", {}],
      ["admin_update_user", promotion],
      ["list_audit_events", { p_all: true }],
    ] as const) {
      const call = t.database.callAs({ user_id: who.id }, operation, values);
      await expect(call).rejects.toMatchObject({ status: 403 });
    }
  }
});

it("A new demo account's sessions end, and the last administrator cannot be changed", async () => {
  const update = (values: Record<string, unknown>) =>
    t.database.callAs({ user_id: admin.id }, "admin_update_user", values);
  const user = await t.createUser();
  await t.query`insert into public.user_sessions (user_id, expires_at) values (${user.id}, now() + interval '1 day')`;
  await update({ p_user_id: user.id, p_is_demo: true });
  const rows = await t.query`select u.is_demo, s.revoked_at is not null as ended
      from public.users u join public.user_sessions s on s.user_id = u.id where u.id = ${user.id}`;
  expect(rows).toEqual([{ is_demo: true, ended: true }]);
  for (const change of [{ p_role: "DEVELOPER" }, { p_is_demo: true }]) {
    const refused = update({ p_user_id: admin.id, ...change });
    await expect(refused).rejects.toMatchObject({ status: 409 });
  }
  const listed = await t.database.callAs({ user_id: admin.id }, "list_audit_events", { p_all: true });
  expect(JSON.parse(listed)[0]).toMatchObject({
    kind: "user.changed",
    username: user.username,
    actor_name: admin.username,
  });
});

it("two administrators who demote each other at once: one stays", async () => {
  for (let round = 0; round < 20; round += 1) {
    await t.query`update public.users set role = 'DEVELOPER' where id <> ${admin.id}`;
    await t.query`update public.users set role = 'ADMIN' where id = any(${[admin.id, owner.id]})`;
    const demote = (actor: { id: string }, target: { id: string }) =>
      t.database.callAs({ user_id: actor.id }, "admin_update_user", { p_user_id: target.id, p_role: "DEVELOPER" }).then(
        () => 200,
        (error: { status: number }) => error.status,
      );
    const outcomes = await Promise.all([demote(admin, owner), demote(owner, admin)]);
    expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
    const rows = await t.query`select count(*)::int as n from public.users where role = 'ADMIN'`;
    expect(rows[0].n).toBe(1);
  }
});
