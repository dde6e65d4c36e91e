create function operations.list_labels(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('labels', private.labels_of(p_product_id));
end;
$$;

comment on function operations.list_labels is 'The labels of a product, by name.';
grant execute on function operations.list_labels to authenticated;
