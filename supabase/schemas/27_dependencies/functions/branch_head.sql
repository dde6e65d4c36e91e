-- Why: a task may be done although its own job delivered nothing: the work was there already, or a person finished it after the
-- job was cancelled or had failed. What was done before on the same branch belongs to it then, as it does to a task that adds to it.
-- Answers the job whose head that is, or null.
create function private.branch_head(p_job public.agent_jobs)
returns public.agent_jobs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$$;

comment on function private.branch_head is 'The job with the head that the work of a finished job ends at.';
