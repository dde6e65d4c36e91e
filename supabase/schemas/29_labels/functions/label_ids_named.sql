-- The product's labels with the given names; unknown names are skipped.
create function private.label_ids_named(p_product_id uuid, p_names jsonb)
returns uuid[]
language sql
stable
set search_path = ''
as $$
  select coalesce(array_agg(l.id), '{}') from public.labels l
  where l.product_id = p_product_id
    and lower(l.name) in (select lower(btrim(n)) from jsonb_array_elements_text(coalesce(p_names, '[]')) n);
$$;

comment on function private.label_ids_named is 'Labels of a product by their names.';
grant execute on function private.label_ids_named to service_role;
