-- The labels of a product, as in answers.
create function private.labels_of(p_product_id uuid)
returns json
language sql
stable
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
  from public.labels l
  where l.product_id = p_product_id;
$$;

comment on function private.labels_of is 'The labels of a product in REST form.';
grant execute on function private.labels_of to authenticated, service_role;
