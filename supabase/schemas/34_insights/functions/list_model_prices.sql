-- Why: prices are the same for everybody who is signed in. Definer: the table has no grants of its own for writing, one shape for reading.
create function operations.list_model_prices()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return json_build_object('prices', (
    select coalesce(json_agg(row_to_json(m) order by m.model_id), '[]') from public.model_prices m));
end;
$$;

comment on function operations.list_model_prices is 'Prices per million tokens of all models (specification: Model price).';
grant execute on function operations.list_model_prices to authenticated;
