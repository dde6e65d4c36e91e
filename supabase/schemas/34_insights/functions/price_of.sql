-- Why: the price of a model: an administrator's price first, then the shipped one. A model is found by its full name or
-- without provider and date: `anthropic/claude-sonnet-4-5-20250929` costs what `claude-sonnet-4-5` does.
create function private.price_of(p_model_id text)
returns public.model_prices
language plpgsql
stable
set search_path = ''
as $$
declare
  v_short text := regexp_replace(regexp_replace(p_model_id, '^.*/', ''), '[-@](\d{8}|\d{4}-\d{2}-\d{2})$', '');
  v_price public.model_prices;
begin
  select m.* into v_price from public.model_prices m
  where m.model_id in (p_model_id, v_short)
  order by m.model_id = p_model_id desc
  limit 1;
  if found then
    return v_price;
  end if;
  select s.* into v_price from private.shipped_prices() s where s.model_id = v_short;
  return v_price;
end;
$$;

comment on function private.price_of is 'The price of a model, null without one (specification: Model price).';
