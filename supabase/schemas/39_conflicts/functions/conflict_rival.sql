-- Why: a worker meets commits on a branch of the run; whose they are is known here. The job that ended with that very commit, else the one
-- that has work on the branch and is not done, else the last one that was.
create function private.conflict_rival(p_job public.agent_jobs, p_branch text, p_theirs_sha text)
returns public.agent_jobs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rival public.agent_jobs;
begin
  select j.* into v_rival
  from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_branch and j.id <> p_job.id and j.attempt > 0
    and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
  order by (j.status = 'DONE' and j.head_sha is not distinct from p_theirs_sha) desc, (j.status <> 'DONE') desc, j.finished_at desc, j.id
  limit 1;
  return v_rival;
end;
$$;

comment on function private.conflict_rival is 'The job of a run whose work lies on a branch, or null.';
