create function operations.list_saved_views(p_product_id uuid, p_page text default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('views', private.saved_views_of(p_product_id, p_page));
end;
$$;

comment on function operations.list_saved_views is 'The caller''s own and the shared views of a product, of one page or of all.';
grant execute on function operations.list_saved_views to authenticated;
