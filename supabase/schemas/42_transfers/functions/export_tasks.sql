-- Why: the tasks of one story, as the export file nests them (docs/export-format.md).
create function private.export_tasks(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'labels', private.label_names(t.label_ids),
      'blocked_by', private.export_blocked_by('task', t.id),
      'created_at', private.export_time(t.created_at),
      'reviews', private.export_reviews(t.id),
      'comments', private.export_comments(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$$;

comment on function private.export_tasks is 'Tasks of a story for the export file. Used by export_stories only.';

grant execute on function private.export_tasks to service_role;

-- Why: how people judged the work on a task, with their comments on its lines, as the export file nests it
-- (docs/export-format.md). The review of a batch stands with the first task of the batch. Drafts are their author's alone.
create function private.export_reviews(p_task_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary, 'author', r.author,
      'created_at', private.export_time(r.created_at),
      'comments', (
        select coalesce(json_agg(json_build_object(
          'attempt', c.attempt, 'path', c.path, 'line', c.line, 'side', c.side, 'line_text', c.line_text, 'body', c.body,
          'author', c.author, 'created_at', private.export_time(c.created_at)
        ) order by c.created_at, c.path, c.line, c.side, c.body), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.attempt, r.author, r.summary), '[]')
    from (
      select i.* from public.job_reviews i where i.task_id = p_task_id
      union all
      select i.* from public.agent_jobs j join public.job_reviews i on i.job_id = j.id
      where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
      union all
      select i.*
      from public.task_executions e
      join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.job_reviews i on i.job_id = j.id
      where e.task_id = p_task_id and not exists (
        select from public.task_executions f
        where f.sprint_run_id = e.sprint_run_id and (f.position, f.id) < (e.position, e.id))
    ) r
  );
end;
$$;

comment on function private.export_reviews is 'Reviews of a task for the export file. Used by export_tasks only.';

grant execute on function private.export_reviews to service_role;
