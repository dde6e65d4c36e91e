-- Why: the first line of every change of a job: 404, 403, the product lock, demo and archive, then the row as it is now.
create function private.lock_job(p_job_id uuid)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  return v_job;
end;
$$;

comment on function private.lock_job(uuid) is 'A job under the product lock, for a change (specification: Agent job).';
