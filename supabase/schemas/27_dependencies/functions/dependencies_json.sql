-- Why: one shape of dependencies for tasks and stories: what this waits for, and what waits for this.
create function private.dependencies_json(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_kind = 'task' then
    return json_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocked_id where d.blocker_id = p_id
    ));
  end if;
  return json_build_object('blocked_by', (
    select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text)) order by s.sort_order, s.created_at, s.id), '[]')
    from public.story_dependencies d join public.stories s on s.id = d.blocker_id where d.blocked_id = p_id
  ), 'blocks', (
    select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text)) order by s.sort_order, s.created_at, s.id), '[]')
    from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_id
  ));
end;
$$;

comment on function private.dependencies_json is '{ blocked_by, blocks } of a task or story.';
