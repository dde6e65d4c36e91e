-- Why: a look holds only what a page's address may hold. Returns it without empty values.
create function private.require_look(p_look jsonb)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_known text[] := '{q,status,sprint,done,group,as,dense,hide,fold}';
begin
  if jsonb_typeof(p_look) is distinct from 'object' or p_look - v_known <> '{}' then
    perform private.refuse(422, 'look can contain q, status, sprint, done, group, as, dense, hide and fold.');
  end if;
  if exists (
    select from jsonb_each(p_look) e
    where jsonb_typeof(e.value) <> 'string' or char_length(e.value #>> '{}') > case e.key when 'fold' then 1000 else 200 end
  ) then
    perform private.refuse(422, 'Each part of look is a text of at most 200 characters, fold of at most 1000.');
  end if;
  return (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_look) e where e.value <> '""');
end;
$$;

comment on function private.require_look is 'A look of a page, or PT422.';
