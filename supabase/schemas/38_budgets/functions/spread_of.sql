-- Why: one task lies between the fifth that took least and the fifth that took most; many together lie closer to their average,
-- because some take more and some less. Answers both ends, and on how many finished tasks they stand.
create function private.spread_of(p_values numeric[], p_tasks integer)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_low numeric;
  v_high numeric;
  v_mean numeric;
  v_deviation numeric;
begin
  if coalesce(cardinality(p_values), 0) < 5 or p_tasks < 1 then
    return null;
  end if;
  select percentile_cont(0.2) within group (order by v), percentile_cont(0.8) within group (order by v), avg(v), stddev_samp(v)
  into v_low, v_high, v_mean, v_deviation
  from unnest(p_values) v;
  if p_tasks > 1 then
    v_low := greatest(p_tasks * v_mean - 0.8416 * v_deviation * sqrt(p_tasks), 0);
    v_high := p_tasks * v_mean + 0.8416 * v_deviation * sqrt(p_tasks);
  end if;
  return jsonb_build_object('low', round(v_low, 6), 'high', round(v_high, 6), 'finished', cardinality(p_values));
end;
$$;

comment on function private.spread_of is 'Where so many tasks lie at 20 and 80 per cent; null with fewer than five finished ones.';
