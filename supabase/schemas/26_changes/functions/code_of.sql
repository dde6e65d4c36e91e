-- The code by which people know a thing, for sentences about it.
create function private.code_of(p_kind text, p_id uuid)
returns text
language sql
stable
set search_path = ''
as $$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
  end;
$$;

comment on function private.code_of is 'The code of a task, story or PBI.';
grant execute on function private.code_of to authenticated;
