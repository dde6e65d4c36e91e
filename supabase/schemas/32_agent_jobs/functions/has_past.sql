-- Why: most tasks are done once, and a claim then need not look for failures, kept work and findings of others.
create function private.has_past(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
    or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id);
end;
$$;

comment on function private.has_past is 'Whether somebody may have worked on the same before (specification: Agent job; attempts).';
