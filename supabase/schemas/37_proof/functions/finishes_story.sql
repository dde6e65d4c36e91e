-- Why: whether a task finishes its story: all others are done and it is not.
create function private.finishes_story(p_task_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.tasks t
    where t.id = p_task_id and t.status <> 'DONE'
      and not exists (select from public.tasks o where o.story_id = t.story_id and o.id <> t.id and o.status <> 'DONE'));
end;
$$;

comment on function private.finishes_story is 'Whether a story would be done with this task (docs/proof.md).';
