-- Why: the id of the last ledger line of a product.
create function private.last_line(p_product_id uuid)
returns bigint
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce((select e.id from public.usage_events e where e.product_id = p_product_id order by e.id desc limit 1), 0);
end;
$$;

comment on function private.last_line is 'The last line in the ledger of a product; 0 without any.';
