-- Why: a sweep that locked for leases and then once more for questions would break the one order of product locks.
create function private.products_past_due()
returns uuid[]
language sql
volatile
set search_path = ''
as $$
  select array(
    select j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now()
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= private.now() and (q.park or q.on_expiry <> 'STOP')
    union
    select d.product_id from private.products_with_due_budgets() as d (product_id)
    order by 1);
$$;

comment on function private.products_past_due is
  'Products with an expired lease, a waiting question past its expiry or a budget to settle, in the order of their locks.';
