-- Why: only the owner of a conversation about an idea may read it, not even other members. Returns the job; 404, 403.
create function private.require_job_reader(p_job_id uuid)
returns public.agent_jobs
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if v_job.kind = 'PLAN_CHAT' and v_job.created_by is distinct from auth.uid() then
    perform private.refuse(403, 'Only the person who asked can read a conversation about an idea.');
  end if;
  return v_job;
end;
$$;

comment on function private.require_job_reader is
  'A job whose output and changes the caller may read (specification: Errors; Idea).';
