-- Why: a batch is handed all tasks of its run at once, each with its plan as it was at the start and why it failed before.
create function private.batch_executions(p_sprint_run_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
      'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
      'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
      'requires_opus', t.requires_opus, 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
      'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
      'previous_failure', (
        select f.failure_reason from public.task_executions f
        where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
    from public.task_executions e
    join public.tasks t on t.id = e.task_id
    join public.stories s on s.id = t.story_id
    where e.sprint_run_id = p_sprint_run_id);
end;
$$;

comment on function private.batch_executions is 'The tasks of a batch as its worker gets them (specification: Sprint run, executions).';
