-- Why: the cost of a run, or without one of a whole product: one sum per currency, never added together.
create function private.costs_of(p_product_id uuid, p_sprint_run_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.product_id = p_product_id and (p_sprint_run_id is null or e.sprint_run_id = p_sprint_run_id)
        and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$$;

comment on function private.costs_of is 'What a run or product cost, one sum a currency (specification: Model price).';
