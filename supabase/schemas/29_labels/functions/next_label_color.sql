-- The color of a label created without one: twelve in turn, all legible as a dot on light and dark.
create function private.next_label_color(p_product_id uuid)
returns text
language sql
stable
set search_path = ''
as $$
  select (array['#e5484d', '#0090ff', '#30a46c', '#f76b15', '#8e4ec6', '#12a594', '#e93d82', '#978365', '#3e63dd', '#ad7f58', '#46a758', '#6e56cf'])
    [1 + (select count(*) from public.labels l where l.product_id = p_product_id) % 12];
$$;

comment on function private.next_label_color is 'The colour of a label that was made without one.';
grant execute on function private.next_label_color to service_role;
