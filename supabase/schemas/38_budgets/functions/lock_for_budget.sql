-- Why: nearly every heartbeat touches one row and takes no lock. One that may stop its job, or take more of a budget,
-- needs the product's lock and must take it before that row.
create function private.lock_for_budget(p_job_id uuid, p_attempt integer, p_usage jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  if v_job.id is not null and private.budget_need(v_job, p_usage) is not null then
    perform private.lock_product(v_job.product_id);
  end if;
end;
$$;

comment on function private.lock_for_budget is 'Takes the lock of a product for a heartbeat that is near a budget.';
