-- Why: the service's own writes hold the product lock too, on every path. Operations hold it already, so this costs
-- them one comparison.
create function private.tg_any__lock_product()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.lock_product(old.product_id);
    return old;
  end if;

  perform private.lock_product(new.product_id);
  return new;
end;
$$;

comment on function private.tg_any__lock_product is
  'The product lock before each change of the backlog (specification: States and transitions).';
