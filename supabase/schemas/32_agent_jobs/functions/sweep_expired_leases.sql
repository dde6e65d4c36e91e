-- Why: takes back expired leases within seconds even when nobody claims. Any number of processes may call it at once.
-- Products are locked in one order. Returns how many leases were taken back. Service only.
-- Definer: jobs are written by functions only.
create function operations.sweep_expired_leases()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_products uuid[] := array(
    select distinct j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now() order by 1);
  v_product_id uuid;
  v_count integer := 0;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', private.now());
end;
$$;

comment on function operations.sweep_expired_leases is
  'Takes expired leases back (specification: Agent job, lease_until). Service only.';
grant execute on function operations.sweep_expired_leases to service_role;
