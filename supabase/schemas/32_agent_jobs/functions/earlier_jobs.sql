-- Why: the work of jobs that failed or were cancelled may still be kept somewhere: those of the same task, or of the same sprint for a batch.
create function private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from public.agent_jobs j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      union all
      select j.id, j.created_at from public.agent_jobs j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      order by created_at desc limit 3) x
  );
end;
$$;

comment on function private.earlier_jobs is 'The three newest jobs of the same work that came to nothing (specification: Agent job).';
