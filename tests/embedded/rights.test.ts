import { expect, it } from "vitest";
import { dataApi } from "../setup/data-api";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const ada = await t.createUser();

const rights = `
  select coalesce(json_agg(json_build_array(grantee, table_schema, table_name, privilege_type)
    order by grantee, table_schema, table_name, privilege_type), '[]') as list
    from information_schema.table_privileges
   where grantee in ('anon', 'authenticated', 'service_role', 'PUBLIC') and table_schema in ('public', 'private', 'auth', 'realtime')`;

it("The embedded stack runs migrations as a role that is not a superuser", async () => {
  const rows = await t.query`select rolsuper, rolname from pg_roles where rolname = current_user`;
  expect(rows).toEqual([{ rolsuper: false, rolname: "postgres" }]);
});

it("No rights change when the Data API and Auth are used", async () => {
  const before = (await t.sql.query(rights)).rows[0].list;
  const api = await dataApi(t, ada);
  await api.from("products").select("id");
  await (await dataApi(t, "service")).from("products").select("id");
  await t.database.publicClient().auth.signInWithPassword({ email: ada.email, password: ada.password });
  expect((await t.sql.query(rights)).rows[0].list).toEqual(before);
});

it("The logins of the Data API and of Auth see nothing of the backlog by themselves", async () => {
  const rows = await t.query`
      select r.rolname, c.relname
        from pg_class c join pg_namespace n on n.oid = c.relnamespace,
             unnest(array['authenticator', 'supabase_auth_admin', 'supabase_replication_admin']) as r(rolname)
       where n.nspname in ('public', 'private') and c.relkind in ('r', 'v')
         and has_table_privilege(r.rolname, c.oid, 'select, insert, update, delete')`;
  expect(rows).toEqual([]);
});

it("The schema auth is closed to the API roles", async () => {
  for (const role of ["anon", "authenticated", "service_role"]) {
    const client = await t.begin();
    await client.query(`set local role ${role}`);
    await expect(client.query("select * from auth.users")).rejects.toThrow("permission denied");
  }
});

it("The Data API refuses requests without a key or with a wrong one, and forged tokens", async () => {
  const get = (headers: Record<string, string>) =>
    t.supabase.fetch(`${t.supabase.supabaseUrl}/rest/v1/products?select=id`, { headers });
  expect((await get({})).status).toBe(401);
  expect((await get({ apikey: "sb_secret_wrong" })).status).toBe(401);
  const forged = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.AAAA";
  const answer = await get({ apikey: t.supabase.publishableKey, authorization: `Bearer ${forged}` });
  expect(answer.status).toBe(401);
});
