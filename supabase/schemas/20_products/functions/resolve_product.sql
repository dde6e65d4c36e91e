-- Why: the admin command line names a product by id, by code, or by owner/code where two owners use one code.
-- Service only: it resolves any product.
create function operations.resolve_product(p_reference text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    raise exception using errcode = 'PT404',
      message = format('There is no product %s. Give its id, its code, or owner/code.', private.one_line(p_reference));
  end if;

  if json_array_length(v_products) > 1 then
    raise exception using errcode = 'PT409',
      message = format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      detail = json_build_object('candidates', v_products)::text;
  end if;
  return v_products -> 0;
end;
$$;

comment on function operations.resolve_product is
  'A product by id, code or owner/code, for the admin command line. Service only.';
grant execute on function operations.resolve_product to service_role;
