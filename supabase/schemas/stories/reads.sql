-- A story log entry (specification: Story log entry), with the name of its author.
create view private.story_log_shape with (security_invoker = true) as
select
  l.id, l.story_id, l.type, l.content, l.status, l.commit_hash, l.commit_message, l.metadata,
  l.user_id, private.username(l.user_id) as username, l.job_id,
  to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.story_logs l;
grant select on private.story_log_shape to authenticated;

-- A story in the backlog (specification: Story).
create view private.story_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
  lower(s.status::text) as status,
  s.sort_order, s.sprint_id, s.assignee_id,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  s.version
from public.stories s;
grant select on private.story_shape to authenticated;

-- A story with who does its tasks, as one story is read (specification: Story).
create view private.story_detail_shape with (security_invoker = true) as
select s.*, k.agent, k.model, k.effort
from private.story_shape s
join public.stories k on k.id = s.id;
grant select on private.story_detail_shape to authenticated;

-- Hot read of agents. Definer: access is checked once, first. Without an active sprint or an open story: PT404. The
-- result is passed through unparsed (specification: GET /api/products/:id/next-story).
create function operations.get_next_story(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_sprint_id uuid;
  v_story_id uuid;
begin
  perform private.require_product_access(p_product_id);

  select s.id into v_sprint_id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';
  if v_sprint_id is null then
    perform private.refuse(404, 'This product has no active sprint. Start one first.');
  end if;

  v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  if v_story_id is null then
    perform private.refuse(404, 'The active sprint has no open story. Add stories to it, or complete it.');
  end if;

  return (
    select row_to_json(x)
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x
  );
end;
$$;
grant execute on function operations.get_next_story to authenticated;

-- The next story is the first of the sprint that is neither done nor failed, by sort_order, then age, then id.
-- Definer: only called by functions that have checked access (specification: GET /api/products/:id/next-story).
create function private.first_open_story(p_product_id uuid, p_sprint_id uuid)
returns uuid language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select s.id
    from public.stories s
    where s.sprint_id = p_sprint_id and s.product_id = p_product_id and s.status not in ('DONE', 'FAILED')
    order by s.sort_order, s.created_at, s.id
    limit 1
  );
end;
$$;

-- The story, its PBI and sprint, its tasks with plans, and its newest log entries (specification: Story).
create function operations.get_story(p_story_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))
    from (
      select
        s.*,
        (select json_build_object('id', b.id, 'code', b.code, 'title', b.title) from public.pbis b where b.id = s.pbi_id) as pbi,
        (
          select json_build_object('id', p.id, 'code', p.code, 'sprint_goal', p.sprint_goal, 'status', p.status)
          from private.sprint_shape p
          where p.id = s.sprint_id
        ) as sprint,
        private.username(s.assignee_id) as assignee_username,
        (
          select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
          from private.task_detail_shape t
          join public.tasks k on k.id = t.id
          where t.story_id = s.id
        ) as tasks,
        operations.list_story_logs(s.id) as logs
      from private.story_detail_shape s
      where s.id = p_story_id
    ) x
  );
end;
$$;
grant execute on function operations.get_story to authenticated;

-- Newest first, in pages (specification: Story log entry).
create function operations.list_story_logs(p_story_id uuid, p_limit integer default 50, p_cursor text default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_items json;
  v_count integer;
  v_last text;
  v_product_id uuid := private.require_access('story', p_story_id);
begin
  select coalesce(json_agg(row_to_json(l) order by x.created_at desc, x.id desc), '[]'), count(*),
    (array_agg(private.cursor_of(x.id, private.microseconds(x.created_at)) order by x.created_at, x.id))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.story_logs k
    where k.story_id = p_story_id and k.product_id = v_product_id and (p_cursor is null or (k.created_at, k.id) < (private.time_at(v_after.place[1]), v_after.id))
    order by k.created_at desc, k.id desc
    limit v_limit
  ) x
  join private.story_log_shape l on l.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;
grant execute on function operations.list_story_logs to authenticated;

-- The result is passed through unparsed (specification: GET /api/stories/:id/tasks).
create function operations.list_story_tasks(p_story_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(t), k.label_ids) order by t.sort_order, k.created_at, t.id), '[]')
    from private.task_shape t
    join public.tasks k on k.id = t.id
    where t.story_id = p_story_id
  );
end;
$$;
grant execute on function operations.list_story_tasks to authenticated;

-- Stories to accept, oldest first, and where they can go: PBIs, and stories that are not done.
create function operations.list_triage(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object(
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), k.label_ids)::jsonb
          || jsonb_build_object('origin', k.origin, 'external_url', k.external_url,
            'tasks', (select count(*) from public.tasks t where t.story_id = k.id)) order by k.created_at, k.id), '[]')
      from private.story_shape x
      join public.stories k on k.id = x.id
      where k.product_id = p_product_id and k.in_triage and not k.is_template),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order, b.created_at, b.id), '[]')
      from public.pbis b where b.product_id = p_product_id),
    'targets', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title)
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.stories s where s.product_id = p_product_id and not s.in_triage and s.status <> 'DONE'));
end;
$$;
grant execute on function operations.list_triage to authenticated;

-- One story, as in every answer about it (specification: Story).
create function private.story_json(p_story_id uuid) returns json language sql stable set search_path = '' as $$
  select private.with_labels(row_to_json(s), k.label_ids)
  from private.story_detail_shape s
  join public.stories k on k.id = s.id
  where s.id = p_story_id;
$$;
grant execute on function private.story_json to authenticated;
