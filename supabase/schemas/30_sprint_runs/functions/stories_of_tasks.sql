-- Why: for a run without a sprint, the stories of its tasks are checked.
create function private.stories_of_tasks(p_task_ids uuid[])
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return array(
    select distinct t.story_id
    from unnest(p_task_ids) i (id)
    cross join lateral (select k.story_id from public.tasks k where k.id = i.id offset 0) t);
end;
$$;

comment on function private.stories_of_tasks is 'The stories of tasks.';
