-- Why: a worker's presence names the job it works on; when the job leaves it, the presence says so.
create function private.release_worker(p_worker_id uuid, p_job_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_workers w
  set current_job_id = null
  where w.id = p_worker_id and w.current_job_id = p_job_id;
end;
$$;

comment on function private.release_worker is 'Takes a job off a worker''s presence (specification: Agent worker).';
