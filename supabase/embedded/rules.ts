import { createHash } from "node:crypto";
import { readSchemas, type SchemaStatement } from "./statements";

/** All rules of the schemas as one text, to be run in one transaction, and its fingerprint. */
export interface Rules {
  hash: string;
  /** Drops the rules that a database has, of whichever release. */
  drop: string;
  /** Creates them again, and notes their hash. */
  create: string;
}

/** What is migrated by steps: tables, types, sequences and indexes. Everything else in the schemas is a rule. */
const step =
  /^(?:create (?:unlogged )?(?:table|type|sequence|schema|(?:unique )?index)|alter (?:type|sequence|table(?! \S+ enable row level)))\s/;

export async function readRules(release: string): Promise<Rules> {
  const statements = await readSchemas();
  const rules = statements.filter(({ text }) => !step.test(text)).map(({ text }) => `${repeatable(text)};\n`);
  const create = `set local check_function_bodies = off;\n\n${rules.join("\n")}`;
  const drop = dropping(statements);
  const hash = createHash("sha256").update(drop).update(create).digest("hex");
  const note = `insert into private.applied_rules (hash, release) values ('${hash}', '${release}');\n`;
  return { hash, drop, create: `${create}\n${note}` };
}

/** A function that a default, a check or an index calls stays, and is replaced. */
function repeatable(text: string): string {
  const policy = /^create policy (\w+) on ((?!public\.|private\.)\S+)/.exec(text);
  if (policy) return `drop policy if exists ${policy[1]} on ${policy[2]};\n${text}`;
  return text.replace(/^create function/, "create or replace function");
}

function namesOf(statements: readonly SchemaStatement[], pattern: RegExp): string {
  const names = statements.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []);
  return `'{${[...new Set(names)].sort().join(",")}}'`;
}

/** In `public` only what is named here: other programs use it, too. Functions that tables depend on stay. */
function dropping(statements: readonly SchemaStatement[]): string {
  const functions = namesOf(statements, /^create function public\.(\w+)/);
  const tables = namesOf(statements, /^create (?:unlogged )?table public\.(\w+)/);
  return `do $drop$
declare
  v_rule record;
  v_drop text;
begin
  for v_rule in
    select p.polname, c.oid::regclass as owner
    from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
    where c.relnamespace = 'private'::regnamespace
      or c.relnamespace = 'public'::regnamespace and c.relname = any (${tables})
  loop
    execute format('drop policy %I on %s', v_rule.polname, v_rule.owner);
  end loop;

  select 'drop view ' || string_agg(c.oid::regclass::text, ', ') || ' cascade' into v_drop
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'v' and n.nspname in ('private', 'operations');
  execute coalesce(v_drop, 'select 1');

  select 'drop function ' || string_agg(p.oid::regprocedure::text, ', ') || ' cascade' into v_drop
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where (n.nspname in ('private', 'operations') or n.nspname = 'public' and p.proname = any (${functions}))
    and not exists (
      select from pg_catalog.pg_depend d
      where d.refobjid = p.oid and d.refclassid = 'pg_catalog.pg_proc'::regclass
        and d.classid in ('pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_constraint'::regclass, 'pg_catalog.pg_class'::regclass));
  execute coalesce(v_drop, 'select 1');

  for v_rule in
    select c.oid::regclass as owner, c.relkind = 'S' as is_sequence, n.nspname = 'public' as is_public
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'S') and (n.nspname = 'private' or n.nspname = 'public' and c.relname = any (${tables}))
  loop
    execute format('revoke all on %s %s from public, anon, authenticated, service_role',
      case when v_rule.is_sequence then 'sequence' else 'table' end, v_rule.owner);
    if v_rule.is_public then
      execute format('grant select, insert, update, delete on table %s to service_role', v_rule.owner);
    end if;
  end loop;
end;
$drop$;
`;
}
