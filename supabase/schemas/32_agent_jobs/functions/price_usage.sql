-- Why: the one place that prices usage: the cost the tool reports; else the model's current price; else none.
create function private.price_usage(
  p_usage jsonb, out rates jsonb, out cost numeric, out currency text, out source text)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_price public.model_prices;
  v_reported numeric := (p_usage ->> 'cost')::numeric;
  v_counts record;
begin
  v_price := private.price_of(p_usage ->> 'model_id');
  if v_price.model_id is not null then
    rates := jsonb_build_object('input', v_price.input_per_million, 'output', v_price.output_per_million,
      'cache_read', v_price.cache_read_per_million, 'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency);
  end if;
  if v_reported is not null then
    cost := v_reported;
    currency := coalesce(p_usage ->> 'currency', 'USD');
    source := 'reported';
    return;
  end if;
  source := 'unpriced';
  select * into v_counts from jsonb_to_record(p_usage)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint);
  if v_price.model_id is null
    or num_nonnulls(v_counts.input_tokens, v_counts.output_tokens, v_counts.cache_read_tokens, v_counts.cache_write_tokens) = 0 then
    return;
  end if;
  cost := (coalesce(v_counts.input_tokens, 0) * v_price.input_per_million
    + coalesce(v_counts.output_tokens, 0) * v_price.output_per_million
    + coalesce(v_counts.cache_read_tokens, 0) * v_price.cache_read_per_million
    + coalesce(v_counts.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000;
  currency := v_price.currency;
  source := 'list_price';
end;
$$;

comment on function private.price_usage is 'Cost, currency and source of some usage (specification: Model price).';
