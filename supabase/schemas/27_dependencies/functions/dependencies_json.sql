-- Why: one form of dependencies for tasks and stories: what blocks this, and what this blocks. A blocked story blocks
-- its tasks; it may have none yet. `awaited` exists only where code of finished work is awaited.
create function private.dependencies_json(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_ends jsonb;
  v_awaited jsonb;
begin
  if p_kind = 'task' then
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status),
        t.status = 'DONE' and private.has_arrived(p_id, 'task', t.id, t.product_id)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status), t.status = 'DONE')
        order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array[p_id]);
  else
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text),
        s.status = 'DONE' and not exists (select from public.tasks t
          where t.story_id = p_id and not private.has_arrived(t.id, 'story', s.id, s.product_id))) order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text), s.status = 'DONE')
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array(select t.id from public.tasks t where t.story_id = p_id));
  end if;
  return v_ends || case when v_awaited = '[]' then '{}' else jsonb_build_object('awaited', v_awaited) end;
end;
$$;

comment on function private.dependencies_json is '{ blocked_by, blocks, awaited? } of a task or story.';
