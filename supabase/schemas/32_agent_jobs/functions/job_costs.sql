-- Why: what a job cost, a sum a currency: currencies are never added together, and what a subscription pays is no money spent. Empty while nothing that it used has a price.
create function private.job_costs(p_job_id uuid)
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
      where e.job_id = p_job_id and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$$;

comment on function private.job_costs is 'What a job cost, one sum a currency (specification: Model price).';

grant execute on function private.job_costs to authenticated;
