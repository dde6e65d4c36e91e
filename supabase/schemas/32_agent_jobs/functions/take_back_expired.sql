-- Why: a claim first takes back what workers that died still hold in the products of its user, so that an expired lease is
-- taken over by the very next claim, and looks at budgets under which an earlier claim found nothing left. Products are locked in one order. Answers those products; nearly always none.
create function private.take_back_expired(p_user_id uuid, p_product_id uuid)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (
    select from public.budgets b where b.due_at is not null or (b.reached_at is not null and b.period is not null)
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.settle_budgets(v_product_id);
  end loop;
  return v_products;
end;
$$;

comment on function private.take_back_expired is
  'Expired leases in reach go back to the queue (specification: Agent job, lease_until).';
