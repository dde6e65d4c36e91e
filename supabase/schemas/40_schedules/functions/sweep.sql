-- Why: what cannot wait for the daily schedule: expired leases, and expired questions on which work waits. About once a
-- minute, or with p_full, also stale rows. Any number of processes may call it at once; one that finds another at it leaves
-- the stale rows to that one. The products of leases and questions are locked together, in one order. Service only. Definer: jobs and questions are written by functions only.
create function private.sweep(p_full boolean)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_leases json;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  v_leases := private.sweep_expired_leases(v_products);
  v_questions := private.write_down_expired(true, v_products);
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_leases -> 'taken_back', 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$$;

grant execute on function private.sweep to service_role;

create function public.sweep(p_full boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.sweep(p_full);
end;
$$;

comment on function public.sweep is
  'Leases, waiting questions and stale rows (specification: What the service does 10). Service only.';

grant execute on function public.sweep to service_role;
