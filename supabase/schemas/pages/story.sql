-- What of a story a panel next to a list shows: its place, and its tasks with the changes of their newest work.
create function operations.get_story_panel(p_story_id uuid)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_product_id uuid := private.require_access('story', p_story_id);
begin
  return json_build_object(
    'story', private.story_json(p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_product_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.stories t join public.sprints s on s.id = t.sprint_id where t.id = p_story_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_product_id and s.status in ('PLANNED', 'ACTIVE')),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product_id and m.role <> 'VIEWER'),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(t), (select k.label_ids from public.tasks k where k.id = t.id)) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t));
end;
$$;
grant execute on function operations.get_story_panel to authenticated;

-- Everything about one story in one read. With a cursor, the comments before it. Generic plans, as the backlog's tree.
create function operations.get_story_page(p_story_id uuid, p_comments_before text default null)
returns json language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  return operations.get_story_panel(p_story_id)::jsonb || jsonb_build_object(
    'proof', operations.get_proof(p_story_id),
    'comments', operations.list_comments('story', p_story_id, p_cursor => p_comments_before),
    'recurrence', operations.get_recurrence(p_story_id),
    'labels', private.labels_of(v_story.product_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'begins_from', private.beginnings(array[p_story_id]),
    'fresh_starts', (
      select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'started_by', f.started_by, 'created_at', f.created_at,
        'left', f.left_branches) order by f.created_at desc), '[]')
      from public.fresh_starts f where f.story_id = p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'files', private.files_of(p_story_id),
    'logs', operations.list_story_logs(p_story_id, 100) -> 'items');
end;
$$;
grant execute on function operations.get_story_page to authenticated;

-- What of a task a panel next to a list shows: its place, plan, jobs and reviews.
create function operations.get_task_panel(p_task_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('task', p_task_id);
  return json_build_object(
    'task', private.task_json(p_task_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j
      where j.id in (
        select k.id from public.agent_jobs k where k.task_id = p_task_id
        order by (k.finished_at is null) desc, k.created_at desc limit 20)),
    'reviews', private.task_reviews(p_task_id));
end;
$$;
grant execute on function operations.get_task_panel to authenticated;

-- Everything about one task in one read, without what its state leaves undrawn: why it does not move once it is done, the
-- scoreboard once its agent is chosen. With a cursor, the comments before it.
create function operations.get_task_page(p_task_id uuid, p_comments_before text default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_task public.tasks;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  return operations.get_task_panel(p_task_id)::jsonb || jsonb_build_object(
    'why', case when v_task.status <> 'DONE' then operations.why_not_moving('task', p_task_id) end,
    'comments', operations.list_comments('task', p_task_id, p_cursor => p_comments_before),
    'forecast', operations.get_task_forecast(p_task_id, true),
    'proof', operations.get_proof(v_task.story_id),
    'scoreboard', case when v_task.status in ('TO_DO', 'FAILED') then operations.get_scoreboard(v_task.product_id) end,
    'labels', private.labels_of(v_task.product_id),
    'repo_url_by', private.username(v_task.repo_url_by),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_task.product_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select x.id, x.code, x.title, x.sort_order, x.created_at from public.stories x
        where x.product_id = v_task.product_id and (x.status in ('OPEN', 'IN_SPRINT') or x.id = v_task.story_id)
        order by x.sort_order, x.created_at, x.id limit 300) s),
    'files', private.files_of(p_task_id),
    -- Processes of 0.4.0 ask for it.
    'imported_reviews', '[]'::json,
    'dependencies', operations.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select x.id, lower(x.to_status::text) as to_status, x.changed_at from public.task_status_changes x
        where x.task_id = p_task_id and x.from_status is distinct from x.to_status
        order by x.changed_at desc, x.id desc limit 20) c));
end;
$$;
grant execute on function operations.get_task_page to authenticated;
