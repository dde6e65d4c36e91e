-- The caller's own and the shared views of a product, of one page or of all.
create function operations.list_saved_views(p_product_id uuid, p_page text default null)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('views', private.saved_views_of(p_product_id, p_page));
end;
$$;
grant execute on function operations.list_saved_views to authenticated;

-- Why: pages read their views together with their other data. Definer: the caller has checked access to the product.
create function private.saved_views_of(p_product_id uuid, p_page text)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(private.saved_view_json(v) order by v.user_id is null, lower(v.name), v.id), '[]')
    from public.saved_views v
    where v.product_id = p_product_id and (p_page is null or v.page = p_page)
      and (v.user_id is null or v.user_id = auth.uid()));
end;
$$;
grant execute on function private.saved_views_of to authenticated;

-- Why: one form of a view in every answer. It says whether the caller may change it, so that no page needs the rule.
-- Definer: reads the caller's membership.
create function private.saved_view_json(p_view public.saved_views)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return json_build_object(
    'id', p_view.id, 'product_id', p_view.product_id, 'page', p_view.page, 'name', p_view.name, 'look', p_view.look,
    'shared', p_view.user_id is null, 'may_change', private.may_change_view(p_view), 'created_at', p_view.created_at,
    'updated_at', p_view.updated_at);
end;
$$;

-- Why: a private view is changed by its user, a shared one by its creator and the product's owner. Definer: reads the
-- caller's membership.
create function private.may_change_view(p_view public.saved_views)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce(p_view.user_id = auth.uid() or p_view.created_by = auth.uid(), false) or exists (
    select from public.product_members m
    where m.product_id = p_view.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
end;
$$;
