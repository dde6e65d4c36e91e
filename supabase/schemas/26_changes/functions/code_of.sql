-- The code of an item for messages; for a job, that of its task.
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
    when 'job' then (select t.code from private.works j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$$;

comment on function private.code_of is 'The code of a task, story, PBI or job.';
grant execute on function private.code_of to authenticated;
