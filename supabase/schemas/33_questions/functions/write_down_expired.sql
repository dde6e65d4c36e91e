-- Why: open questions past their expiry become expired, and their policy is carried out, product by product under the lock.
-- With p_only_waiting only those on which work waits or whose policy acts, which must not wait for the daily schedule.
-- p_locked names the products that the caller has locked already; without it they are found and locked here.
-- Each question is counted by exactly one of any number of parallel calls. Answers the count.
create function private.write_down_expired(p_only_waiting boolean, p_locked uuid[] default null)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct q.product_id from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP') order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;

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
