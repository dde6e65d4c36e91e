-- Why: leases that ran out are taken back within seconds even when nobody claims. Any number of processes may call it at
-- once. Products are locked in one order; the sweep passes those that it holds already. Answers how many leases were taken
-- back. Service only.
-- Definer: jobs are written by functions only.
create function private.sweep_expired_leases(p_locked uuid[])
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct j.product_id from public.agent_jobs j
      where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', v_now);
end;
$$;

grant execute on function private.sweep_expired_leases to service_role;

create function public.sweep_expired_leases()
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.sweep_expired_leases(null);
end;
$$;

comment on function public.sweep_expired_leases is
  'Takes expired leases back (specification: Agent job, lease_until). Service only.';

grant execute on function public.sweep_expired_leases to service_role;
