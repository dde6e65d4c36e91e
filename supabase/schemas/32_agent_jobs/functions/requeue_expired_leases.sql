-- Why: a dead worker holds its jobs no longer than the lease. Called by claims and by the sweep, under the product
-- lock. Returns how many leases had expired.
create function private.requeue_expired_leases(p_product_id uuid)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_count integer := 0;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.product_id = p_product_id and j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    order by j.lease_until, j.id
    for update skip locked
  loop
    if private.requeue_lost_job(v_job, format('The lease of attempt %s expired at %s without a report from worker %s.',
        v_job.attempt, to_char(v_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        coalesce((select w.name from public.agent_workers w where w.id = v_job.worker_id), 'unknown'))) is not null then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$$;

comment on function private.requeue_expired_leases is
  'Takes expired leases of a product back (specification: Agent job, lease_until).';
