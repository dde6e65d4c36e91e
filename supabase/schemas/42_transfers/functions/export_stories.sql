-- Why: the stories of one PBI with their tasks and logs, as nested in the export file (docs/export-format.md).
create function private.export_stories(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', s.code, 'title', s.title, 'description', s.description, 'acceptance_criteria', s.acceptance_criteria,
      'priority', s.priority, 'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'created_at', private.export_time(s.created_at),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$$;

comment on function private.export_stories is 'Stories of a PBI for the export file. Used by export_product only.';

grant execute on function private.export_stories to service_role;

-- Why: the evidence of a story, as nested in the export file (docs/export-format.md).
create function private.export_evidence(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'base_exit_code', e.base_exit_code, 'guards', e.guards, 'passed_before', e.passed_before,
      'excerpt', e.excerpt, 'url', e.url, 'file', e.file_id, 'base_file', e.base_file_id, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'voided_by', e.voided_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$$;

comment on function private.export_evidence is 'Evidence of a story for the export file. Used by export_product only.';

grant execute on function private.export_evidence to service_role;

-- Why: the log of one story, as nested in the export file (docs/export-format.md).
create function private.export_log(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'type', l.type, 'content', l.content, 'status', l.status,
      'commit_hash', l.commit_hash, 'commit_message', l.commit_message, 'metadata', l.metadata,
      'username', (select u.username from public.users u where u.id = l.user_id),
      'created_at', private.export_time(l.created_at)
    ) order by l.created_at, l.type, l.content, l.id), '[]')
    from public.story_logs l
    where l.story_id = p_story_id
  );
end;
$$;

comment on function private.export_log is 'Log of a story for the export file. Used by export_stories only.';

grant execute on function private.export_log to service_role;

-- Why: waivers are kept forever, so they are exported too (docs/export-format.md).
create function private.export_waivers(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', w.criterion_text, 'reason', w.reason, 'waived_by', w.waived_by,
      'created_at', private.export_time(w.created_at)) order by w.created_at, w.criterion), '[]')
    from public.waivers w
    where w.story_id = p_story_id
  );
end;
$$;

comment on function private.export_waivers is 'Waivers of a story for the export file. Used by export_product only.';

grant execute on function private.export_waivers to service_role;

-- Why: the tasks of one story, as nested in the export file (docs/export-format.md).
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

-- Why: the reviews of a task with their line comments, as nested in the export file (docs/export-format.md). The review
-- of a batch is with the batch's first task. Drafts are left out, as only their author may see them.
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
