-- Why: open questions past their expiry become expired, and their policy is carried out, product by product under the lock.
-- With p_only_waiting only those on which work waits or whose policy acts, which must not wait for the daily schedule.
-- Each question is counted by exactly one of any number of parallel calls. Answers the count.
create function private.write_down_expired(p_only_waiting boolean)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  select coalesce(array_agg(x.product_id order by x.product_id), '{}') into v_products
  from (
    select distinct q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
  ) x;
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  for v_question in
    update public.agent_questions q
    set status = 'EXPIRED'
    where q.product_id = any (v_products) and q.status = 'OPEN' and q.expires_at <= v_now
      and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
    returning q.*
  loop
    v_count := v_count + 1;
    perform private.carry_out_expiry(v_question);
  end loop;
  return v_count;
end;
$$;

comment on function private.write_down_expired is 'open to expired, with its policy (specification: Agent question).';
