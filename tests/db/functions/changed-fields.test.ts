import { expect, it } from "vitest";
import { createTestDatabase } from "../../setup/database";

const t = await createTestDatabase();

/**
 * Two versions of a row that differ in one column, in that column and the status, and in all of them, each way round: what is
 * found by comparing rows, and what is found by comparing them as JSON.
 */
async function changedFields(table: string, compare: string) {
  const { rows } = await t.sql.query<{ name: string; found: string[]; expected: string[] }>(
    `with columns as (
       select a.attname as name, case
         when y.typtype = 'e' then to_jsonb((select e.enumlabel from pg_enum e where e.enumtypid = y.oid order by e.enumsortorder limit 1))
         when y.typname = 'uuid' then to_jsonb(gen_random_uuid())
         when y.typname = '_uuid' then to_jsonb(array[gen_random_uuid()])
         when y.typname = 'bool' then 'true'::jsonb
         when y.typname in ('int2', 'int4', 'int8') then '1'::jsonb
         when y.typname = 'timestamptz' then to_jsonb(now())
         when y.typname = 'jsonb' then '{"a": 1}'::jsonb
         else '"x"'::jsonb end as value
       from pg_attribute a join pg_type y on y.oid = a.atttypid
       where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped),
     everything as (select jsonb_object_agg(name, value) as row from columns),
     versions as (
       select 'nothing' as name, '{}'::jsonb as row
       union all select name, jsonb_build_object(name, value) from columns
       union all select name || ' and status', jsonb_build_object(name, value, 'status', e.row -> 'status') from columns, everything e
       union all select 'everything', row from everything),
     pairs as (
       select v.name, jsonb_populate_record(null::${table}, '{}') as old, jsonb_populate_record(null::${table}, v.row) as new from versions v
       union all
       select v.name || ', back', jsonb_populate_record(null::${table}, v.row), jsonb_populate_record(null::${table}, '{}') from versions v)
     select name, ${compare}(old, new) as found, private.changed_fields(to_jsonb(old), to_jsonb(new)) as expected from pairs`,
    [table],
  );
  return rows;
}

it.each([
  ["public.agent_jobs", "private.changed_job_fields"],
  ["public.tasks", "private.changed_task_fields"],
])("The changed fields of %s are the same for every column, whichever way they are found", async (table, compare) => {
  const pairs = await changedFields(table, compare);
  expect(pairs.length).toBeGreaterThan(60);
  for (const { name, found, expected } of pairs) expect([name, found]).toEqual([name, expected]);
  expect(pairs.find((pair) => pair.name === "status")?.found).toEqual(["status"]);
  expect(pairs.find((pair) => pair.name === "updated_at")?.found).toEqual([]);
});
