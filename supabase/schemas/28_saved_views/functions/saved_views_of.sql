-- Why: pages read their views together with their other data. Definer: the caller has checked access to the product.
create function private.saved_views_of(p_product_id uuid, p_page text)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(private.saved_view_json(v) order by v.user_id is null, lower(v.name), v.id), '[]')
    from public.saved_views v
    where v.product_id = p_product_id and (p_page is null or v.page = p_page)
      and (v.user_id is null or v.user_id = auth.uid()));
end;
$$;

comment on function private.saved_views_of is 'The caller''s own and the shared views of a product, own ones first.';

grant execute on function private.saved_views_of to authenticated;
