-- Why: a sum says what it is about, with the names that a page shows.
create function private.usage_key_json(p_part text, p_key text)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return case p_part
    when 'by_model' then jsonb_build_object('model_id', p_key)
    when 'by_day' then jsonb_build_object('date', p_key)
    when 'by_sprint' then jsonb_build_object('sprint_id', p_key,
      'sprint_code', (select x.code from public.sprints x where x.id = p_key::uuid))
    when 'by_run' then (
      select jsonb_build_object('sprint_run_id', p_key, 'branch', max(x.branch), 'created_at', max(x.created_at))
      from public.sprint_runs x where x.id = p_key::uuid)
    when 'by_story' then (
      select jsonb_build_object('story_id', p_key, 'story_code', max(x.code), 'story_title', max(x.title))
      from public.stories x where x.id = p_key::uuid)
    when 'by_task' then (
      select jsonb_build_object('task_id', p_key, 'task_code', max(x.code), 'task_title', max(x.title))
      from public.tasks x where x.id = p_key::uuid)
    when 'by_worker' then jsonb_build_object('worker_id', p_key,
      'worker_name', (select x.name from public.agent_workers x where x.id = p_key::uuid))
    else '{}'
  end;
end;
$$;

comment on function private.usage_key_json is 'What a sum of private.usage_by is about, in ids and names.';
