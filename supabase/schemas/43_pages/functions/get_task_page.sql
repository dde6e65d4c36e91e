-- Why: everything about one task in one read: its place, plan, jobs and questions (design: pages).
create function operations.get_task_page(p_task_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
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
      from public.agent_jobs j where j.task_id = p_task_id),
    'files', private.files_of(p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
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

comment on function operations.get_task_page is 'The task page: place, plan, jobs, questions (design: pages).';
grant execute on function operations.get_task_page to authenticated;
