-- Why: two tasks that change the same file block nothing, and neither does a job that was sent back to resolve a
-- conflict; why_not_moving shows both anyway.
create function private.conflict_reasons(p_kind text, p_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_reasons jsonb;
begin
  if p_kind = 'run' then
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
  else
    select j.* into v_job from public.agent_jobs j
    where (p_kind = 'job' and j.id = p_id or p_kind = 'task' and j.task_id = p_id) and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.created_at desc, j.id limit 1;
    select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id;
  end if;
  if v_run.id is null then
    return '[]';
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('code', 'conflict', 'blocking', false, 'job_id', j.id, 'task_id', j.task_id,
    'message', format('%s does not merge with %s in %s and goes back to work with both versions.', t.code,
      case c.kind when 'base' then 'the main branch' when 'branch' then 'its branch, which has moved on' else coalesce(o.code, 'another task') end,
      (select string_agg(f ->> 'path', ', ') from (select * from jsonb_array_elements(c.files) limit 5) x (f)))) order by j.position), '[]')
  into v_reasons
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  cross join lateral (select k.* from public.job_conflicts k where k.job_id = j.id order by k.created_at desc limit 1) c
  left join public.agent_jobs oj on oj.id = c.other_job_id
  left join public.tasks o on o.id = oj.task_id
  where j.sprint_run_id = v_run.id and j.status = 'QUEUED' and c.decision = 'home' and c.attempt = j.attempt
    and (p_kind = 'run' or j.id = v_job.id);

  return v_reasons || (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'overlap', 'blocking', false, 'tasks', p -> 'tasks', 'files', p -> 'files',
      'message', format('%s and %s both change %s.', p -> 'tasks' -> 0 ->> 'code', p -> 'tasks' -> 1 ->> 'code',
        (select string_agg(f, ', ') from jsonb_array_elements_text(p -> 'files') f)))), '[]')
    from jsonb_array_elements(private.run_overlaps(v_run)) p
    where p_kind = 'run' or v_job.task_id::text in (p -> 'tasks' -> 0 ->> 'id', p -> 'tasks' -> 1 ->> 'id'));
end;
$$;

comment on function private.conflict_reasons is 'conflict and overlap of why_not_moving (docs/troubleshooting.md).';
