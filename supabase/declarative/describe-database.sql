-- Every object of the schemas public, operations and private, and our objects in platform schemas, one row each: its
-- name and full definition. Two databases with the same rows are equivalent.
with
  managed as (
    select n.oid, n.nspname from pg_namespace n where n.nspname in ('public', 'operations', 'private')
  ),
  -- Rights as one text, in one order, with those that go without saying written out.
  relations as (
    select n.nspname || '.' || c.relname as name, c.*
    from pg_class c join managed n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S')
  ),
  functions as (
    select p.oid::regprocedure::text as name, p.*
    from pg_proc p join managed n on n.oid = p.pronamespace
    where not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  ),
  ours_or_on_platform as (
    select r.oid, r.name from relations r
    union all select 'auth.users'::regclass::oid, 'auth.users'
    union all select 'realtime.messages'::regclass::oid, 'realtime.messages'
  ),
  rights as (
    select 'schema ' || s.nspname as object, a.*
    from pg_namespace s join managed m on m.oid = s.oid,
      aclexplode(coalesce(s.nspacl, acldefault('n', s.nspowner))) a
    union all
    select 'relation ' || r.name, a.*
    from relations r, aclexplode(coalesce(r.relacl,
      acldefault(case r.relkind when 'S' then 's' else 'r' end::"char", r.relowner))) a
    union all
    select 'column ' || r.name || '.' || t.attname, a.*
    from relations r join pg_attribute t on t.attrelid = r.oid, aclexplode(t.attacl) a
    union all
    select 'function ' || f.name, a.* from functions f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
    union all
    select 'defaults ' || coalesce(d.defaclnamespace::regnamespace::text, 'everywhere') || ' ' || d.defaclobjtype::text, a.*
    from pg_default_acl d, aclexplode(d.defaclacl) a
    where d.defaclrole = 'postgres'::regrole
      and (d.defaclnamespace = 0 or d.defaclnamespace in (select m.oid from managed m))
  )
select 'rights of ' || object as object,
  string_agg(case grantee when 0 then 'public' else grantee::regrole::text end || ':' || privilege_type
    || case when is_grantable then '*' else '' end, ' ' order by grantee::regrole::text, privilege_type) as definition
from rights group by object
union all
select 'comment on ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description
from pg_description d
cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) i
where i.schema in ('public', 'operations', 'private') or i.identity in ('public', 'operations', 'private')
union all
select 'relation ' || r.name, concat_ws(' ', r.relkind, r.relpersistence, 'rls', r.relrowsecurity, r.relforcerowsecurity,
  r.relowner::regrole, r.reloptions::text, case when r.relkind in ('v', 'm') then pg_get_viewdef(r.oid) end)
from relations r
union all
select 'column ' || r.name || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), 'not null', a.attnotnull,
  'identity', a.attidentity, 'generated', a.attgenerated, pg_get_expr(d.adbin, d.adrelid))
from relations r
join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
where r.relkind in ('r', 'p')
union all
select 'constraint ' || r.name || '.' || c.conname, pg_get_constraintdef(c.oid) || case when c.convalidated then '' else ' (not checked)' end
from relations r join pg_constraint c on c.conrelid = r.oid
where c.contype <> 'n'
union all
select 'index ' || i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) || ' ' || i.indisvalid
from relations r join pg_index i on i.indrelid = r.oid
union all
select 'type ' || t.oid::regtype::text, coalesce(
  (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
  (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
    from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped))
from pg_type t join managed n on n.oid = t.typnamespace
where t.typtype = 'e'
  or (t.typtype = 'c' and (select c.relkind = 'c' from pg_class c where c.oid = t.typrelid))
union all
select 'function ' || f.name, pg_get_functiondef(f.oid) || ' ' || f.proowner::regrole
from functions f
union all
select 'trigger ' || o.name || '.' || t.tgname, pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
from ours_or_on_platform o join pg_trigger t on t.tgrelid = o.oid
where not t.tgisinternal
union all
select 'policy ' || o.name || '.' || p.polname, concat_ws(' ', p.polcmd, p.polpermissive,
  (select string_agg(role::regrole::text, ',' order by role::regrole::text) from unnest(p.polroles) role),
  'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
from ours_or_on_platform o join pg_policy p on p.polrelid = o.oid
order by 1
