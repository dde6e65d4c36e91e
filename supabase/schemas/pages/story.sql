-- Everything about one story in one read: its place, its tasks with the changes of their newest work, questions
-- and log.
create function operations.get_story_page(p_story_id uuid)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', private.story_json(p_story_id),
    'labels', private.labels_of(v_story.product_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id and m.role <> 'VIEWER'),
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
      ) t),
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
    'logs', operations.list_story_logs(p_story_id, 100) -> 'items'
  );
end;
$$;
grant execute on function operations.get_story_page to authenticated;

-- Everything about one task in one read: its place, plan, jobs and questions.
create function operations.get_task_page(p_task_id uuid) returns json language plpgsql stable set search_path = '' as $$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', private.task_json(p_task_id),
    'labels', private.labels_of(v_task.product_id),
    'repo_url_by', (select private.username(t.repo_url_by) from public.tasks t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j
      where j.id in (
        select k.id from public.agent_jobs k where k.task_id = p_task_id
        order by (k.finished_at is null) desc, k.created_at desc limit 20)),
    'files', private.files_of(p_task_id),
    'reviews', private.task_reviews(p_task_id),
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
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$$;
grant execute on function operations.get_task_page to authenticated;
