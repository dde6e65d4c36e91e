-- Why: messages and pages name what a run works on: its sprint, its only task or story, or the first of several tasks.
create function private.run_subject(p_run public.sprint_runs)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_run.sprint_id is not null then
    return 'sprint ' || (select s.code from public.sprints s where s.id = p_run.sprint_id);
  end if;
  return (
    select case
        when count(*) = 0 then 'no task'
        when count(*) = 1 then min(t.code)
        when count(distinct t.story_id) = 1 then min(s.code)
        else format('%s and %s more', (array_agg(t.code order by x.position))[1], count(*) - 1) end
    from private.run_tasks(p_run.id) x
    join public.tasks t on t.id = x.task_id
    join public.stories s on s.id = t.story_id);
end;
$$;

comment on function private.run_subject is 'What a run works on, in a few words.';
