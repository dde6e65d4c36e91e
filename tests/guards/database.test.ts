import { expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

it("every table has row level security, and a policy where a user may touch it", async () => {
  const rows = await t.query`
      select c.relname from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind in ('r', 'p')
        and (not c.relrowsecurity
          or has_any_column_privilege('authenticated', c.oid, 'select, insert, update, references')
            and not exists (select from pg_policy p where p.polrelid = c.oid))`;
  expect(rows).toEqual([]);
});

it("No policy gathers the rows of a table that grows with the work: each call would read all of them", async () => {
  const rows = await t.query`
      select tablename, policyname from pg_policies
      where concat(qual, with_check) ~ ${String.raw`IN \( SELECT \w+\.\w+\s+FROM (?!ideas|recurrences|product_members)\w`}`;
  expect(rows).toEqual([]);
});

it("every function pins its search_path and none in the exposed schema runs as its owner", async () => {
  const rows = await t.query`
      select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('public', 'operations', 'private') and p.prolang <> (select oid from pg_language where lanname = 'c')
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        and (not coalesce(p.proconfig, '{}') @> array['search_path=""'] or (n.nspname = 'public' and p.prosecdef))`;
  expect(rows).toEqual([]);
});

it("An operation declares its scope, or that it only reads, in one of three forms", async () => {
  const rows = await t.query`
      select p.proname, d.description from pg_description d join pg_proc p on p.oid = d.objoid
      where d.classoid = 'pg_proc'::regclass and p.pronamespace = 'operations'::regnamespace
        and (p.provolatile <> 'v' or d.description not in ('reads', 'scope work', 'scope plan or work'))`;
  expect(rows).toEqual([]);
});

it("no one who is not signed in can call a function or touch a table", async () => {
  const rows = await t.query`
      select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('public', 'operations', 'private') and has_function_privilege('anon', p.oid, 'execute')
        and has_schema_privilege('anon', n.oid, 'usage')
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all
      select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
        and has_table_privilege('anon', c.oid, 'select, insert, update, delete')`;
  expect(rows).toEqual([]);
});

it("no one reads a lease, a secret or a hash of one in a table", async () => {
  const rows = await t.query`
      select table_name, column_name from information_schema.column_privileges
      where table_schema = 'public' and grantee in ('authenticated', 'anon') and privilege_type = 'SELECT'
        and column_name ~ '^lease$|secret|token$|password$|token_hash'`;
  expect(rows).toEqual([]);
});

it("A table without row level security would be noticed", async () => {
  await t.query`create table public.planted (id integer)`;
  const rows = await t.query`select c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity`;
  await t.query`drop table public.planted`;
  expect(rows).toEqual([{ relname: "planted" }]);
});
