-- Why: before a run starts people ask how long and how much; afterwards, what came out otherwise than they thought. Answers
-- agents' working time, tokens and money of the open tasks of a sprint (or of one task without it) at 20 and 80 per cent, estimates
-- beside what the work took, by size and model, and the tasks that surprised most. Currencies are never added.
-- Definer: access is checked first.
create function private.get_forecast(p_product_id uuid, p_sprint_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse(404, 'No such sprint.');
    end if;
    select count(*) into v_tasks from private.sprint_scope(p_sprint_id);
  end if;
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0) into v_seconds, v_tokens
  from private.finished_tasks(p_product_id) f;
  select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
    filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
  into v_costs
  from (
    select c.currency, array_agg(c.used) as used
    from (
      select k.currency, f.job_id, sum(k.cost) as used
      from private.finished_tasks(p_product_id) f
      join private.known_usage k on k.job_id = f.job_id and k.cost is not null
      group by k.currency, f.job_id
    ) c
    group by c.currency
  ) x;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id);
end;
$$;

grant execute on function private.get_forecast to authenticated;

create function public.get_forecast(p_product_id uuid, p_sprint_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_forecast(p_product_id, p_sprint_id);
end;
$$;

comment on function public.get_forecast is 'Time, tokens and money of open tasks from finished ones, and estimates beside what came out.';

grant execute on function public.get_forecast to authenticated;
