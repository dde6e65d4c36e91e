-- An administrator sets prices; null for all four removes the model's price. Refusals: 403, 422.
-- Definer: prices are written by functions only (specification: Model price).
create function operations.set_model_price(
  p_model_id text, p_input_per_million numeric default null, p_output_per_million numeric default null,
  p_cache_read_per_million numeric default null, p_cache_write_per_million numeric default null,
  p_currency text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := private.require_writer();
  v_price public.model_prices;
begin
  if not exists (select from public.users u where u.id = v_user_id and u.role = 'ADMIN') then
    perform private.refuse(403, 'Only an administrator can set prices. Ask one.');
  end if;
  if coalesce(char_length(p_model_id), 0) not between 1 and 200 then
    perform private.refuse(422, 'model_id takes 1 to 200 characters.');
  end if;
  if num_nonnulls(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) = 0 then
    delete from public.model_prices m where m.model_id = p_model_id;
    return json_build_object('model_id', p_model_id, 'removed', found);
  end if;
  if least(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) < 0
    or greatest(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) > 1000000
    or coalesce(p_currency, 'USD') !~ '^[A-Z]{3}$' then
    perform private.refuse(422, 'Prices are 0 to 1000000 per million tokens; currency is three capital letters.');
  end if;

  insert into public.model_prices as m
    (model_id, input_per_million, output_per_million, cache_read_per_million, cache_write_per_million, currency)
  values (p_model_id, coalesce(p_input_per_million, 0), coalesce(p_output_per_million, 0),
    coalesce(p_cache_read_per_million, 0), coalesce(p_cache_write_per_million, 0), coalesce(p_currency, 'USD'))
  on conflict (model_id) do update
  set input_per_million = coalesce(p_input_per_million, m.input_per_million),
      output_per_million = coalesce(p_output_per_million, m.output_per_million),
      cache_read_per_million = coalesce(p_cache_read_per_million, m.cache_read_per_million),
      cache_write_per_million = coalesce(p_cache_write_per_million, m.cache_write_per_million),
      currency = coalesce(p_currency, m.currency)
  returning * into v_price;
  return row_to_json(v_price);
end;
$$;
grant execute on function operations.set_model_price to authenticated;
