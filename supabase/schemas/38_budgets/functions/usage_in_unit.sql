-- Why: what a heartbeat tells, in the unit of a budget, before it is written down.
create function private.usage_in_unit(p_usage jsonb, p_unit text)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(sum(case
      when p_unit = 'tokens' then coalesce((u.value ->> 'input_tokens')::numeric, 0)
        + coalesce((u.value ->> 'output_tokens')::numeric, 0) + coalesce((u.value ->> 'cache_write_tokens')::numeric, 0)
      when p.currency = p_unit and (u.value ->> 'subscription')::boolean is not true then p.cost end), 0)
    from jsonb_array_elements(p_usage -> 'models') u
    cross join lateral private.price_usage(u.value) p
  );
end;
$$;

comment on function private.usage_in_unit is 'Usage of a heartbeat in tokens or in one currency.';
