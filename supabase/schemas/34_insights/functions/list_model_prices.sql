-- Why: prices are the same for every signed-in user. Definer: private.shipped_prices is not readable by users.
create function operations.list_model_prices()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('prices', (
    select json_agg(p.price order by p.model_id)
    from (
      select m.model_id, to_jsonb(m) || '{"shipped": null}' as price from public.model_prices m
      union all
      select s.model_id, to_jsonb(s) || jsonb_build_object('shipped', to_char(s.created_at at time zone 'UTC', 'YYYY-MM'))
      from private.shipped_prices() s
      where not exists (select from public.model_prices m where m.model_id = s.model_id)
    ) p));
end;
$$;

comment on function operations.list_model_prices is 'Prices per million tokens: own ones, and the shipped ones of all other models (specification: Model price).';
grant execute on function operations.list_model_prices to authenticated;
