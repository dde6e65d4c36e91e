-- Why: a card says how many unfinished tasks wait for it, by themselves or by their story.
create function private.frees(p_task_id uuid)
returns integer
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select count(*)
    from public.tasks w
    where w.status <> 'DONE' and w.id in (
      select d.blocked_id from public.task_dependencies d where d.blocker_id = p_task_id
      union
      select i.id from public.tasks t
      join public.story_dependencies d on d.blocker_id = t.story_id
      join public.tasks i on i.story_id = d.blocked_id
      where t.id = p_task_id
    )
  );
end;
$$;

comment on function private.frees is 'How many unfinished tasks wait for a task.';

grant execute on function private.frees to authenticated;
