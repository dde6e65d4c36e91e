-- Why: a worker's current job is the one it holds. It is stored nowhere else, so that a claim writes no presence. A
-- worker with several jobs shows the one it took last.
create function private.current_job_id(p_worker_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select j.id from public.agent_jobs j
    where j.worker_id = p_worker_id and j.status in ('CLAIMED', 'RUNNING')
    order by j.claimed_at desc, j.id
    limit 1);
end;
$$;

comment on function private.current_job_id is 'The job that a worker holds (specification: Agent worker).';
